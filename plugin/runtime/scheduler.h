// Divides a frame's time among everything in a context that plans or evaluates. Policy alone: times are passed in, no
// clock is read, and only add allocates.
//
// Who asks gets its share of what is left at that moment. Set aside are the time until those that run are expected to
// end, what evaluations will take that were there in the frames before and have not come yet (each of the two at most
// half of what is left), and the shares of such planners. So what somebody leaves unused goes to those who come after.
// Shares go by priority, which is the asker's weight times one more than the frames that it was put off in a row:
// whoever waits grows until it is first, and the first is always served, so nobody starves.
#ifndef AUGUR_RUNTIME_SCHEDULER_H
#define AUGUR_RUNTIME_SCHEDULER_H

#include <cstdint>
#include <vector>

namespace augur {

class Scheduler {
  public:
    static constexpr std::uint64_t kNoLimit = UINT64_MAX;

    // What one asks for. Times in nanoseconds; 0 while not known.
    struct Ask {
        double weight;            // of its urgency; more than 0
        std::uint64_t needed_ns;  // for everything it would like to do
        std::uint64_t least_ns;   // for the least that is worth doing
        bool whole;               // takes needed_ns, neither more nor less: an evaluation
    };
    struct Share {
        bool shared;                // false: no frame was begun, or one without a limit; nothing else is set
        bool put_off;               // its turn comes in a later frame
        std::uint64_t deadline_ns;  // on the caller's clock
    };

    // A number for somebody who will ask. expected: soon, so that its first frame already finds a share of it.
    std::uint32_t add(bool expected);
    void remove(std::uint32_t client);

    // From here on who asks shares budget_ns, until the next call. kNoLimit: nobody shares anything.
    void begin_frame(std::uint64_t now_ns, std::uint64_t budget_ns);
    Share request(std::uint32_t client, const Ask& ask, std::uint64_t now_ns);
    // What it asked for is done, or was never begun.
    void done(std::uint32_t client);

    // Frames in a row in which it was put off.
    std::uint32_t age(std::uint32_t client) const { return clients_[client].age; }

  private:
    // A client is expected while it asked, or was added to be expected, in one of the last two frames.
    static constexpr std::uint64_t kExpectedFrames = 2;

    struct Client {
        bool used = false;
        bool running = false;
        std::uint32_t age = 0;
        std::uint64_t asked_frame = 0;  // 0: never
        std::uint64_t end_ns = 0;       // while running: when it is expected to be done
        Ask ask{1.0, 0, 0, false};
        double priority() const { return ask.weight * (1.0 + age); }
    };

    bool waits_for(const Client& client) const {
        return client.used && client.asked_frame != frame_ && client.asked_frame != 0 &&
               frame_ - client.asked_frame <= kExpectedFrames;
    }
    std::uint64_t start_for(std::uint32_t asker, std::uint64_t now_ns) const;
    std::uint64_t left_for(std::uint32_t asker, std::uint64_t start_ns) const;
    bool is_before(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t choose_served(std::uint32_t asker, std::uint64_t left_ns);
    std::uint64_t part_of(std::uint32_t asker, std::uint32_t served, std::uint64_t left_ns) const;

    std::vector<Client> clients_;
    std::vector<std::uint32_t> order_;  // room for all of them
    std::uint64_t frame_ = 1;
    std::uint64_t end_ns_ = kNoLimit;  // of the frame
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_SCHEDULER_H
