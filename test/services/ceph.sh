#!/usr/bin/env bash
# A real S3 server for tests: Ceph's object gateway with a monitor and one store in memory, unpacked from
# Debian's packages into a folder of its own and run there as root, on loopback only.
#   ceph.sh install TREE            unpack it (half a minute, 570 MB), unless it is there
#   ceph.sh run TREE PORT MON MON1  serve on PORT until standard input ends; the other two are the monitor's.
#                                   "ready" on standard output, then an answer to each line of standard input:
#     start PORT    another gateway to the same objects     -> started PORT
#     kill PORT     kill -9 that gateway                    -> killed PORT
# Access key "test", secret "testtest1"; SSE-KMS knows the key id "testkey-1"; SSE AES256 is not to be had.
set -euo pipefail
export LC_ALL=C # without it the gateway aborts when it is started again
verb=${1:?install or run}
tree=$(realpath -m "${2:?folder}")
# older Ceph knows neither conditional writes nor checksums
suite=${JOBVAULT_TEST_CEPH_SUITE:-forky}

install_tree() {
  [ -e "$tree/.complete" ] && return
  if ! command -v mmdebstrap >/dev/null; then
    apt-get update -q >&2
    apt-get install -y -q --no-install-recommends mmdebstrap >&2
  fi
  local mirror node link
  if [ ! -x "$tree/usr/bin/radosgw" ]; then
    rm -rf --one-file-system "$tree"
    mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
      sed -nE 's/^(deb( \[[^]]*\])?|URIs:) +([^ ]+\/debian\/?)( .*)?$/\3/p;T;q')
    mmdebstrap --quiet --variant=extract --mode=root --include=radosgw,ceph-mon,ceph-osd \
      --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
      "$suite" "$tree" ${mirror:+"$mirror"} >&2
  fi
  # what the packages' own scripts would have made
  for link in bin sbin lib lib64; do
    [ -e "$tree/$link" ] || ln -s "usr/$link" "$tree/$link"
  done
  mkdir -p "$tree"/{proc,tmp,dev,run,etc/ceph,srv}
  chmod 1777 "$tree/tmp"
  echo 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
  echo 'root:x:0:' >"$tree/etc/group"
  echo '127.0.0.1 localhost' >"$tree/etc/hosts"
  for node in 'null 3' 'zero 5' 'random 8' 'urandom 9'; do
    [ -c "$tree/dev/${node% *}" ] || mknod -m 666 "$tree/dev/${node% *}" c 1 "${node#* }"
  done
  touch "$tree/.complete"
}

# Kept from outliving this script, whatever ends it.
daemon() { setpriv --pdeathsig KILL chroot "$tree" "$@" </dev/null >>"$here/log/daemons" 2>&1 & }
tool() { timeout 60 chroot "$tree" "$@" -c "$at/ceph.conf" >>"$here/log/tools" 2>&1; }

wait_for() {
  for _ in $(seq 1 600); do
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
    kill -0 "$2" 2>/dev/null || break
    sleep 0.05
  done
  echo "nothing answers on port $1" >&2
  tail -n 20 "$here/log/daemons" >&2
  return 1
}

declare -A gateways
start_gateway() {
  daemon radosgw -f -n client.admin -c "$at/ceph.conf" \
    --rgw-frontends="beast endpoint=127.0.0.1:$1 tcp_nodelay=1" --log-file="$at/log/rgw-$1.log"
  gateways[$1]=$!
  wait_for "$1" "${gateways[$1]}"
}

end() {
  # shellcheck disable=SC2046
  kill -9 $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf --one-file-system "$here"
}

remove_remains() {
  local other pid
  for other in "$tree"/srv/*/; do
    pid=$(cat "$other/pid" 2>/dev/null || echo 0)
    [ "$pid" = 0 ] || kill -0 "$pid" 2>/dev/null || rm -rf --one-file-system "$other"
  done
}

configure() {
  # few threads, and no messages for debugging: with more of both the tests on S3 take a fifth longer
  cat >"$here/ceph.conf" <<CONF
[global]
fsid = $fsid
mon host = [v2:127.0.0.1:$1,v1:127.0.0.1:$2]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = $at/admin.keyring
run dir = $at/run
log file = $at/log/\$name.log
mon cluster log file = $at/log/cluster.log
admin socket =
auth allow insecure global id reclaim = false
paxos propose interval = 0.05
paxos min wait = 0.01
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail warn = 1
mon data avail crit = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
debug ms = 0/0
debug objecter = 0/0
debug monc = 0/0
ms async op threads = 1
[mon.a]
keyring = $at/mon/keyring
mon data = $at/mon
[osd]
keyring = $at/osd/keyring
osd data = $at/osd
osd objectstore = memstore
memstore device bytes = ${JOBVAULT_TEST_CEPH_BYTES:-6442450944}
osd class load list = *
osd class default list = *
osd numa auto affinity = false
osd client watch timeout = 3
osd enable op tracker = false
osd op num shards = 1
osd op num threads per shard = 1
debug osd = 0/0
debug objclass = 0/0
[client]
rgw enable gc threads = true
rgw thread pool size = 4
debug rgw = 0/0
rgw dns name = localhost
rgw crypt require ssl = false
rgw crypt s3 kms backend = testing
rgw crypt s3 kms encryption keys = testkey-1=YmluCmJvb3N0CmJvb3N0LWJ1aWxkCmNlcGguY29uZgo=
CONF
}

run() {
  local port=$1 osd word rest
  at=/srv/$port here=$tree/srv/$port
  fsid=$(cat /proc/sys/kernel/random/uuid) osd=$(cat /proc/sys/kernel/random/uuid)
  remove_remains
  mkdir "$here"
  echo $$ >"$here/pid"
  trap end EXIT
  trap 'exit 143' TERM INT HUP
  mkdir "$here"/{mon,osd,run,log}
  configure "$2" "$3"
  local keys=(--gen-key --cap mon 'allow *')
  tool monmaptool --create --fsid "$fsid" --addv a "[v2:127.0.0.1:$2,v1:127.0.0.1:$3]" "$at/monmap"
  tool ceph-authtool --create-keyring "$at/mon.keyring" "${keys[@]}" -n mon.
  tool ceph-authtool --create-keyring "$at/admin.keyring" "${keys[@]}" -n client.admin \
    --cap osd 'allow *' --cap mgr 'allow *'
  tool ceph-authtool "$at/mon.keyring" --import-keyring "$at/admin.keyring"
  tool ceph-mon --mkfs --keyring "$at/mon.keyring" -i a --monmap "$at/monmap"
  daemon ceph-mon -i a -f -c "$at/ceph.conf"
  tool ceph osd new "$osd"
  tool ceph auth get-or-create osd.0 mon 'allow profile osd' osd 'allow *' -o "$at/osd/keyring"
  tool ceph-osd -i 0 --mkfs --osd-uuid "$osd"
  daemon ceph-osd -i 0 -f -c "$at/ceph.conf"
  start_gateway "$port"
  tool radosgw-admin user create --uid=tester --display-name=tester \
    --access-key=test --secret-key=testtest1
  echo ready
  while read -r word rest; do
    case $word in
    start) start_gateway "$rest" && echo "started $rest" ;;
    kill)
      kill -9 "${gateways[$rest]}"
      wait "${gateways[$rest]}" 2>/dev/null || true
      echo "killed $rest"
      ;;
    esac
  done
}

case $verb in
install)
  mkdir -p "$(dirname "$tree")"
  exec 9>"$tree.lock"
  flock 9
  install_tree
  ;;
run) run "${3:?port}" "${4:?port of the monitor}" "${5:?its older port}" ;;
*)
  echo "install or run" >&2
  exit 2
  ;;
esac
