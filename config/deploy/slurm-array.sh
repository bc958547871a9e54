#!/bin/bash
# Sixteen tasks on one archive: sbatch config/deploy/slurm-array.sh
# Each task takes its share of the users and of --rate. The number of tasks stands twice: here below, and in --shard.
#SBATCH --job-name=jobvault
#SBATCH --array=1-16
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=1-00:00:00
# SIGTERM two minutes before the time is up: what is ready is committed, and the next run goes on
#SBATCH --signal=B:TERM@120
#SBATCH --output=jobvault-%A-%a.log
set -euo pipefail

# on a file system that all nodes share; the key file is readable for you alone
exec jobvault export \
  --users-file="${USERS_FILE:-$HOME/jobvault/users.csv}" \
  --base-url="${BASE_URL:-https://api.example.com}" \
  --api-key-file="${KEY_FILE:-$HOME/jobvault/api-key}" \
  --out="${ARCHIVE:-$HOME/jobvault/archive}" \
  --rate="${RATE:-20}" \
  --shard="$SLURM_ARRAY_TASK_ID/16" \
  --json
