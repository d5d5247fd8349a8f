#!/bin/bash
# Build in release mode and install marqueed and marquee without symbols, with man pages, shell completions and systemd
# units. Installs missing Debian packages first. The programs use the Swift runtime of the toolchain that built them.
# Usage: Deploy/install.sh [--prefix DIRECTORY]   (default: /usr/local)
# Files go to $DESTDIR/DIRECTORY if DESTDIR is set, for packages.
set -euo pipefail
prefix=/usr/local
case "$#${1:-}" in
  0) ;;
  2--prefix) prefix=$(realpath -m "$2") ;;
  *) echo "Usage: Deploy/install.sh [--prefix DIRECTORY]" >&2; exit 64 ;;
esac
root=${DESTDIR:+$(realpath -m "$DESTDIR")}$prefix
cd "$(dirname "$0")/.."
Deploy/setup.sh
for product in marqueed marquee; do Deploy/build.sh --product $product --scratch-path .build-release; done
install -D --strip --mode 755 --target-directory "$root/bin" .build-release/release/marqueed .build-release/release/marquee

manuals=$(mktemp -d)
trap 'rm -rf "$manuals"' EXIT
Deploy/man-pages.sh "$manuals" release >/dev/null
for section in 1 8; do
  install -D --mode 644 --target-directory "$root/share/man/man$section" "$manuals"/*.$section
done
complete() { # SHELL FILE
  "$root/bin/marquee" --generate-completion-script "$1" | install -D --mode 644 /dev/stdin "$root/share/$2"
}
complete bash bash-completion/completions/marquee
complete zsh zsh/site-functions/_marquee
complete fish fish/vendor_completions.d/marquee.fish
units=$root/lib/systemd/system
install -D --mode 644 --target-directory "$units" Deploy/marqueed.service Deploy/marqueed.socket Deploy/marqueed@.service
sed -i "/^# .*Deploy.install.sh/,/^# systemctl/d; s|^ExecStart=/usr/local|ExecStart=$prefix|" "$units"/marqueed*.service
echo "Installed in $root. To start the server:"
case $prefix in
  /usr | /usr/local) ;;
  *) echo "  systemctl link $prefix/lib/systemd/system/marqueed.service $prefix/lib/systemd/system/marqueed.socket" ;;
esac
echo "  systemctl enable --now marqueed.socket"
# The unit hides home directories from the server.
if readelf --dynamic "$root/bin/marqueed" | grep -qE 'R(UN)?PATH.*(\[|:)(/root|/home)/' ||
  [[ $prefix =~ ^/(root|home)/ ]]; then
  echo "Warning: the programs or the Swift runtime are in a home directory, which the unit cannot read." >&2
fi
