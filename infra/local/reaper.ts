/**
 * Ends Postgres and NATS when this process dies without a word (kill -9): they cannot watch for it themselves.
 * A shell holds the other end of a pipe; when it closes, what is still on its list is told to stop.
 */
import { spawn } from 'node:child_process'

/** SIGINT is "stop now, orderly" for both; what ignores it is killed. */
const script = `
trap '' INT TERM HUP
pids=' '
while read -r verb pid; do
  case $verb in
    watch) pids="$pids$pid " ;;
    forget) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done
for pid in $pids; do kill -INT "$pid" 2>/dev/null; done
for second in 1 2 3 4 5 6 7 8 9 10; do
  alive=
  for pid in $pids; do kill -0 "$pid" 2>/dev/null && alive=1; done
  [ -n "$alive" ] || exit 0
  sleep 1
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
`

export interface Reaper {
  watch(pid: number): void
  forget(pid: number): void
  close(): void
}

export function startReaper(): Reaper {
  // Its own session: Ctrl-C goes to the whole foreground group.
  const shell = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {})
  shell.stdin.on('error', () => {})
  shell.unref()
  return {
    watch: (pid) => void shell.stdin.write(`watch ${pid}\n`),
    forget: (pid) => void shell.stdin.write(`forget ${pid}\n`),
    close: () => void shell.stdin.end(),
  }
}
