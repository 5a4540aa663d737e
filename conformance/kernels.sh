#!/usr/bin/env bash
# Runs the live demonstrations and all conformance cases on other kernels, emulated: Debian's newest 6.1 and 6.12. As root
# on a Debian machine with its packages in reach; nothing is installed, everything lies in one folder (default
# /tmp/dtrail-kernels, DTRAIL_KERNELS names another; DTRAIL_KERNELS_TARGET one for the build), kept for the next time.
# About 5 minutes a kernel and a static build; DTRAIL_KERNELS_BINARIES names a folder with the two programs ready built from
# this tree, which are then taken with the libraries they need; DTRAIL_KERNELS_CASES is a part of the names of the cases to run.
#
#   conformance/kernels.sh [6.1 | 6.12]…
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
work=${DTRAIL_KERNELS:-/tmp/dtrail-kernels}
target=x86_64-unknown-linux-gnu
built=${DTRAIL_KERNELS_TARGET:-$work/target}
mkdir -p "$work/debs" "$work/qemu"

# What qemu-system-x86 needs to start without a display. It is unpacked, not installed: installing it would replace
# packages of the machine.
packages=(
	qemu-system-x86 qemu-system-common qemu-system-data seabios ipxe-qemu busybox-static
	libbrlapi0.8 libcacard0 libcapstone4 libdaxctl1 libepoxy0 libexecs0 libfdt1 libgstreamer-plugins-base1.0-0
	libibverbs1 libndctl6 libnl-3-200 libnl-route-3-200 libopus0 liborc-0.4-0 libpmem1 librdmacm1 libslirp0
	libsndio7.0 libspice-server1 libusb-1.0-0 libusbredirparser1 libvdeplug2
)

fetch() { # PACKAGE FOLDER
	local folder=$2
	[ -e "$folder/.$1" ] && return
	(cd "$work/debs" && rm -f "$1"_* && apt-get download -qq "$1" 2>/dev/null)
	mkdir -p "$folder"
	dpkg -x "$work/debs/$1"_*.deb "$folder"
	touch "$folder/.$1"
}

newest() { # LINE, such as 6.12
	apt-cache search --names-only "^linux-image-${1//./\\.}\..*-cloud-amd64$" | awk '{ print $1 }' | sort -V | tail -n 1
}

for package in "${packages[@]}"; do [ -e "$work/qemu/.$package" ] || missing=1; done
[ -z "${missing:-}" ] || apt-get update -qq
for package in "${packages[@]}"; do fetch "$package" "$work/qemu"; done

binaries=${DTRAIL_KERNELS_BINARIES:-$built/$target/debug}
if [ -z "${DTRAIL_KERNELS_BINARIES:-}" ]; then
	RUSTFLAGS="-C target-feature=+crt-static" CARGO_TARGET_DIR=$built \
		cargo build --quiet --target $target -p dtrail -p dtrail-conformance
fi

root=$work/root
rm -rf "$root"
mkdir -p "$root"/{bin,proc,sys,dev,tmp,etc} "$root$repo/conformance"
cp "$work/qemu/bin/busybox" "$root/bin/"
for binary in dtrail dtrail-conformance; do
	strip -o "$root/bin/$binary" "$binaries/$binary"
	for library in $(ldd "$binaries/$binary" 2>/dev/null | grep -o '/[^ ]*'); do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
done
# The runner looks for its cases where it was built.
cp -r conformance/suite "$root$repo/conformance/"
echo 'root:x:0:0::/:/bin/sh' >"$root/etc/passwd"
echo "${DTRAIL_KERNELS_CASES:-}" >"$root/cases"
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
echo "kernel $(uname -r)"
status=0
expect() { # WHAT EXPECTED GOT
	if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: expected '$2', got '$3'"; status=1; fi
}
writes='dd if=/dev/zero of=/dev/null bs=1 count=20000'
expect count 20000 "$(dtrail -qn 'syscall::write:entry /pid == $target && arg0 == 1/ { @ = count(); }' -c "$writes" 2>/dev/null | xargs)"
expect cuts 20000 "$(dtrail -qn 'syscall::write:entry /pid == $target && arg0 == 1/ { @ = count(); }
	tick-20ms { printa(@); clear(@); } END { printa(@); }' -c "$writes" 2>/dev/null | awk '{ sum += $1 } END { print sum }')"
expect latency work "$(dtrail -qn 'syscall::read:entry { self->t = timestamp; }
	syscall::read:return /self->t/ { @["work"] = quantize(timestamp - self->t); self->t = 0; }' \
	-c "$writes" 2>/dev/null | awk 'NF == 1 { print $1 }')"
expect strings '/etc/passwd 3' "$(dtrail -qn 'syscall::openat:entry,syscall::open:entry
	/basename(copyinstr(probefunc == "open" ? arg0 : arg1)) == "passwd"/ { self->p = probefunc == "open" ? arg0 : arg1; }
	syscall::openat:return,syscall::open:return /self->p/ { printf("%s %d\n", copyinstr(self->p), arg1); self->p = 0; }' \
	-c 'cat /etc/passwd' 2>/dev/null | grep -v root: | xargs)"
expect proc 'exit 1' "$(dtrail -qn 'proc:::exit /pid == $target/ { printf("%s %d", probename, arg0); }' -c true 2>/dev/null | xargs)"
expect stack 'do_exit syscall_trace_enter' "$(dtrail -qn 'proc:::exit /pid == $target/ { @[1, stack(1)] = count(); }
	syscall::exit_group:entry /pid == $target/ { @[2, stack(1)] = count(); }' -c true 2>/dev/null |
	grep -oE 'do_exit|do_group_exit|syscall_trace_enter|do_syscall_64' | xargs)"
expect copyout 'Jello,XYou' "$(dtrail -qwn 'syscall::write:entry /pid == $target && arg0 == 1/ {
	this->p = (char *)alloca(1); this->p[0] = 0x4a; copyout(this->p, arg1, 1); copyoutstr("XY", arg1 + 6, 2); }' \
	-c 'echo hello, you' 2>/dev/null)"
# The first argument of a call is in rdi; write is call 1; the selectors are those of 64-bit user space.
expect uregs '1 1 33 2b 0 entry' "$(dtrail -qn 'syscall::write:entry /pid == $target && arg0 == 1/ {
	printf("%d %d %x %x %d %s", uregs[R_RDI] == arg0 && uregs[R_RCX] == uregs[R_RIP], uregs[R_ERR], uregs[R_CS], uregs[R_SS],
		uregs[R_DS], probename); exit(0); }' -c "$writes" 2>/dev/null | xargs)"
dtrail-conformance $(cat /cases) || status=1
echo "STATUS $status"
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | "$work/qemu/bin/busybox" cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initramfs.gz"

failed=0
for line in "${@:-6.1 6.12}"; do
	for version in $line; do
		package=$(newest "$version")
		fetch "$package" "$work/$package"
		log=$work/$version.log
		libs=$work/qemu/usr/lib/x86_64-linux-gnu:$work/qemu/lib/x86_64-linux-gnu
		# The emulated machine says nothing on standard input; 45 minutes are for a machine under load.
		LD_LIBRARY_PATH=$libs timeout 2700 "$work/qemu/usr/bin/qemu-system-x86_64" \
			-L "$work/qemu/usr/share/qemu" -L "$work/qemu/usr/share/seabios" \
			-M q35 -accel tcg,thread=multi -cpu max -m 768 -smp 2 -nographic -no-reboot -nic none \
			-kernel "$(echo "$work/$package"/boot/vmlinuz-*)" -initrd "$work/initramfs.gz" \
			-append "console=ttyS0 quiet panic=-1" </dev/null >"$log" 2>&1 || true
		tr -d '\r' <"$log" | grep -aoE '(kernel 6.*|^ok: .*|^FAILED.*|^MISS.*|^all .*)' || true
		grep -aq '^STATUS 0' <(tr -d '\r' <"$log") || {
			echo "FAILED on $version: see $log"
			failed=1
		}
	done
done
exit $failed
