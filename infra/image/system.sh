#!/bin/sh
# Assembles the root file system of the image in a folder: the programs that services run, the Debian packages of their
# libraries, and the Node of this image. Writes the list of the packages to debian.tsv.
set -eu
root=$1

apt-get update -qq
apt-get install -y -qq --no-install-recommends \
  binutils busybox-static ca-certificates git iputils-ping netbase openssh-client tzdata >/dev/null

# Packages of the shared libraries of a program.
libraries_of() {
  ldd "$@" | awk '$2 == "=>" && $3 != "" { print $3 }' | sort -u | while read -r file; do
    dpkg -S "*/$(basename "$file")" | cut -d: -f1
  done
}
packages="base-files busybox-static ca-certificates git iputils-ping netbase openssh-client tzdata
  $(libraries_of "$(command -v node)" /usr/bin/git /usr/lib/git-core/git-remote-http /usr/bin/ping /usr/bin/ssh | sort -u)"

mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/usr/local/bin"
for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
dpkg -L $packages | sort -u | while read -r path; do
  if [ -L "$path" ] || [ ! -d "$path" ]; then echo "$path"; fi
done | grep -vE '^/usr/share/(man|info|locale|lintian|bash-completion|gitweb|zoneinfo/right)/|/gconv/' \
  | tar -c --files-from=- --ignore-failed-read 2>/dev/null | tar -x --keep-directory-symlink -C "$root"
dpkg-query --show --showformat='${Package}\t${Version}\t${Architecture}\n' $packages >"$root/debian.tsv"

# Copyright files stay, as their licenses demand.
find "$root/usr/share/doc" -type f ! -name copyright -delete
# Servers, senders and shells of Git, which no service runs; the commands are links to one program.
for name in daemon http-backend http-fetch http-push imap-send sh-i18n--envsubst shell; do
  rm -f "$root/usr/lib/git-core/git-$name" "$root/usr/bin/git-$name"
done
rm -f "$root/usr/bin/scalar" "$root/usr/lib/git-core/scalar"
ln -sf ../../bin/git "$root/usr/lib/git-core/git"

for applet in cat env id ls ps sh sleep wget; do ln -sf busybox "$root/usr/bin/$applet"; done
mkdir -p "$root/etc/ssl/certs" "$root/tmp" "$root/var/empty" "$root/dev" /var/empty
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
chmod 1777 "$root/tmp"
# ssh refuses to run for a user without an entry.
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'status-page:x:10001:10001::/tmp:/bin/sh' >>"$root/etc/passwd"
printf 'root:x:0:\nstatus-page:x:10001:\n' >"$root/etc/group"

# Symbols for debuggers are a seventh of the program.
strip --strip-unneeded -o "$root/usr/local/bin/node" "$(command -v node)"

# A missing library or file fails the build here.
mknod -m 666 "$root/dev/null" c 1 3
chroot "$root" node --version
chroot "$root" git version
chroot "$root" ssh -V
chroot "$root" ping -V
chroot "$root" git ls-remote https://127.0.0.1:9/ 2>&1 | grep -q 'Failed to connect'
rm "$root/dev/null"
