# Installs Debian or Ubuntu packages that a script needs and that are not there yet. Sourced by tests/run and demo/run.
#
#   need_packages PACKAGE...   each must be there afterwards; ends the script with a message that says what to do if not
#   want_packages PACKAGE...   goes on without those that cannot be had, and says which
#
# PACKAGE:COMMAND is content with that command from anywhere, such as a newer CMake under /usr/local.
# Nothing is done, and no password asked for, when every package is installed already. Elsewhere than on Debian and Ubuntu
# both do nothing: CMake names what it misses there.

packages_missing() {
    local entry package status
    for entry in "$@"; do
        package=${entry%%:*}
        [ "$entry" = "$package" ] || ! command -v "${entry#*:}" >/dev/null || continue
        status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || echo "$package"
    done
}

packages_apt() {
    local root=()
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Not root and no sudo: cannot install packages." >&2
            return 1
        fi
        root=(sudo)
    fi
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@" >&2
}

packages_refresh() {
    [ -z "${packages_refreshed:-}" ] || return 0
    packages_refreshed=1
    packages_apt update || echo "The package lists could not be refreshed; trying with the lists at hand." >&2
}

need_packages() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    local missing
    mapfile -t missing < <(packages_missing "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing: ${missing[*]}" >&2
    packages_refresh
    if ! packages_apt install -y --no-install-recommends "${missing[@]}"; then
        echo "These packages are needed and could not be installed: ${missing[*]}" >&2
        echo "Install them by hand, then run this again:  apt-get install ${missing[*]}" >&2
        exit 1
    fi
}

want_packages() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    local missing package
    mapfile -t missing < <(packages_missing "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    packages_refresh
    for package in "${missing[@]}"; do
        echo "Installing (optional): $package" >&2
        packages_apt install -y --no-install-recommends "$package" ||
            echo "Going on without $package; what needs it will say skipped." >&2
    done
}

build_packages="g++:g++ cmake:cmake ninja-build:ninja pkg-config:pkg-config git:git libprotozero-dev nlohmann-json3-dev"
demo_packages="libglfw3-dev libimgui-dev python3-glad libcli11-dev libstb-dev
    libgl-dev libegl-dev libegl1 libgl1-mesa-dri"
