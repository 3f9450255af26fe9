#include "runtime/scheduler.h"

#include <algorithm>

namespace augur {

namespace {

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace

std::uint32_t Scheduler::add(bool expected) {
    order_.reserve(clients_.size() + 1);  // first: where there is no memory nothing has changed
    auto free = std::find_if(clients_.begin(), clients_.end(), [](const Client& client) { return !client.used; });
    if (free == clients_.end()) free = clients_.insert(free, Client{});
    *free = {};
    free->used = true;
    free->asked_frame = expected ? frame_ : 0;
    order_.resize(clients_.size());
    return static_cast<std::uint32_t>(free - clients_.begin());
}

void Scheduler::remove(std::uint32_t client) {
    clients_[client] = {};
}

void Scheduler::begin_frame(std::uint64_t now_ns, std::uint64_t budget_ns) {
    ++frame_;
    end_ns_ = budget_ns == kNoLimit ? kNoLimit : sum(now_ns, budget_ns);
}

void Scheduler::done(std::uint32_t client) {
    clients_[client].running = false;
}

// When whoever runs is expected to be done.
std::uint64_t Scheduler::start_for(std::uint32_t asker, std::uint64_t now_ns) const {
    if (now_ns >= end_ns_) return end_ns_;
    std::uint64_t free = now_ns;
    for (std::uint32_t i = 0; i < clients_.size(); ++i)
        if (i != asker && clients_[i].used && clients_[i].running) free = std::max(free, clients_[i].end_ns);
    return std::min(free, now_ns + (end_ns_ - now_ns) / 2);
}

// What planners may share: not what evaluations will take.
std::uint64_t Scheduler::left_for(std::uint32_t asker, std::uint64_t start_ns) const {
    const std::uint64_t left = end_ns_ - start_ns;
    std::uint64_t taken = 0;
    for (std::uint32_t i = 0; i < clients_.size(); ++i)
        if (i != asker && clients_[i].ask.whole && waits_for(clients_[i]))
            taken = sum(taken, clients_[i].ask.needed_ns);
    return left - std::min(taken, left / 2);
}

bool Scheduler::is_before(std::uint32_t a, std::uint32_t b) const {
    const double x = clients_[a].priority(), y = clients_[b].priority();
    return x > y || (x == y && a < b);
}

// Orders the asker and those still expected by priority; how many of them find their least in the time, the first in
// any case.
std::uint32_t Scheduler::choose_served(std::uint32_t asker, std::uint64_t left_ns) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < clients_.size(); ++i)
        if (i == asker || (waits_for(clients_[i]) && !clients_[i].ask.whole)) order_[count++] = i;
    std::sort(order_.begin(), order_.begin() + count,
              [this](std::uint32_t a, std::uint32_t b) { return is_before(a, b); });
    if (left_ns == 0) return 0;
    std::uint32_t served = 1;
    std::uint64_t taken = clients_[order_[0]].ask.least_ns;
    for (; served < count; ++served) {
        taken = sum(taken, clients_[order_[served]].ask.least_ns);
        if (taken > left_ns) break;
    }
    return served;
}

// Everybody who is served gets at least its least and at most what it needs, and in between by priority.
std::uint64_t Scheduler::part_of(std::uint32_t asker, std::uint32_t served, std::uint64_t left_ns) const {
    const auto part = [&](std::uint32_t i, double level) {
        const Client& c = clients_[i];
        // Somewhat more than it needs: that is an estimate. While it is not known, there is no most.
        const double most = c.ask.needed_ns == 0 ? 2.0e19 : static_cast<double>(c.ask.needed_ns) * 1.125;
        return std::max(static_cast<double>(c.ask.least_ns), std::min(most, c.priority() * level));
    };
    double lowest = clients_[asker].priority();
    for (std::uint32_t k = 0; k < served; ++k)
        lowest = std::min(lowest, clients_[order_[k]].priority());
    const auto left = static_cast<double>(left_ns);
    // The highest level at which all parts fit.
    double low = 0.0, high = left / lowest, others = 0.0;
    for (int i = 0; i < 48; ++i) {
        const double level = 0.5 * (low + high);
        double all = 0.0;
        for (std::uint32_t k = 0; k < served; ++k)
            all += part(order_[k], level);
        (all <= left ? low : high) = level;
    }
    for (std::uint32_t k = 0; k < served; ++k)
        if (order_[k] != asker) others += part(order_[k], low);
    // What nobody else will take is its own.
    return static_cast<std::uint64_t>(std::max(0.0, left - others));
}

Scheduler::Share Scheduler::request(std::uint32_t client, const Ask& ask, std::uint64_t now_ns) {
    Client& self = clients_[client];
    self.ask = ask;
    self.asked_frame = frame_;
    if (end_ns_ == kNoLimit) {
        self.age = 0;
        return {false, false, 0};
    }
    const std::uint64_t start = start_for(client, now_ns);
    if (ask.whole) {
        self.running = true;
        self.end_ns = sum(start, ask.needed_ns);
        return {true, false, end_ns_};
    }
    const std::uint64_t left = left_for(client, start);
    const std::uint32_t served = choose_served(client, left);
    if (std::find(order_.begin(), order_.begin() + served, client) == order_.begin() + served) {
        ++self.age;
        return {true, true, now_ns};
    }
    const std::uint64_t deadline = std::min(end_ns_, sum(start, part_of(client, served, left)));
    self.age = 0;
    self.running = true;
    self.end_ns = ask.needed_ns == 0 ? deadline : std::min(deadline, sum(start, ask.needed_ns));
    return {true, false, deadline};
}

}  // namespace augur
