#!/bin/sh
# One task of a night, for cron: nightly.sh export, verify, drill or soon. It prints what is wrong, which cron mails, and
# nothing after a good night. jobvault-TASK.log beside it has when each task began and ended, and what it said.
# `jobvault init --nightly --scheduler cron` writes this file with the program and the folder of your machine.

cd /var/lib/jobvault || exit 9
if [ -e environment ]; then set -a; . ./environment; set +a; fi # credentials of a bucket, JOBVAULT_PING_URL, …
jobvault() { /usr/local/bin/jobvault "$@" --config /var/lib/jobvault/jobvault.config.yaml --quiet --log-format text; }

task=${1:-}
log=jobvault-$task.log
report=/dev/null
case $task in
  export) set -- export ;;
  verify) set -- verify --within 30d ;; # a thirtieth of the files, new ones first: each is read once in 30 days
  drill)  set -- drill --sample 1% && report=drills.log ;; # a hundredth of the sessions, each time others; a line for the auditor
  soon)   set -- export --max-requests 2500 && export JOBVAULT_PING_URL= ;; # for sessions that other tools delete soon
  *)      echo "nightly.sh: the task is \"$task\"; allowed is export, verify, drill, soon" >&2; exit 2 ;;
esac

# through a pipe into log and mail at once: a disk that is full is what a mail must tell, so nothing of it may need one
say() { echo "$(date -u +%FT%TZ) $*" | tee -a "$log"; }
exec 9>>"$task.lock"
flock -n 9 || { say "another run holds $PWD/$task.lock: this one did not begin"; exit 75; }
say "$task begins" >/dev/null
# the mail begins with the reason, which the program tells last: what follows the last line of the log, or that line
reason_first() {
  awk '{ line[NR] = $0 } /^\[/ { last = NR }
    END { from = last < NR ? last + 1 : last + 0
      if (NR > 0) for (at = from; at <= NR; at++) print line[at]
      for (at = 1; at < from; at++) print line[at] }'
}
exec 4>&1
# the exit code comes beside the pipe, whose own is that of tee
code=$({ { jobvault "$@" 2>&1 >>"$report"; echo $? >&3; } | tee -a "$log" | reason_first >&4; } 3>&1)
case $code in
  0)      say "$task ended" >/dev/null ;;
  13[4-9]) say "$task was killed (exit code $code)" ;;
  *)      say "$task ended with exit code $code" ;;
esac
exit "${code:-1}"
