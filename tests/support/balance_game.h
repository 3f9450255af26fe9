// The pole on a cart of assets/models/fit_balance.py, for tests that play it: the game itself, which the models only
// know from having watched it.
#ifndef AUGUR_TESTS_SUPPORT_BALANCE_GAME_H
#define AUGUR_TESTS_SUPPORT_BALANCE_GAME_H

#include <cmath>
#include <cstdint>

namespace augur::test {

struct BalanceGame {
    static constexpr std::uint32_t kActions = 3, kObservation = 5;
    double x, speed, angle, spin;

    bool fallen() const { return std::fabs(x) > 2.4 || std::fabs(angle) > 12.0 * 3.14159265358979 / 180.0; }

    // One ply, three steps of physics: 0 pushes left, 1 not at all, 2 right.
    void push(int action) {
        const double force = 6.0 * (action - 1);
        for (int step = 0; step < 3; ++step) {
            const double sine = std::sin(angle), cosine = std::cos(angle);
            const double common = (force + 0.05 * spin * spin * sine) / 1.1;
            const double turn = (9.8 * sine - cosine * common) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
            const double speed_up = common - 0.05 * turn * cosine / 1.1;
            x += 0.02 * speed;
            speed += 0.02 * speed_up;
            angle += 0.02 * spin;
            spin += 0.02 * turn;
        }
    }

    void observe(float* out) const {
        out[0] = static_cast<float>(x / 2.4);
        out[1] = static_cast<float>(speed / 3.0);
        out[2] = static_cast<float>(angle / 0.21);
        out[3] = static_cast<float>(spin / 3.0);
        out[4] = 0.0f;
    }
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_BALANCE_GAME_H
