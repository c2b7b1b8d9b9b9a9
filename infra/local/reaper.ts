/**
 * Stops Postgres and NATS when this process is killed (kill -9); they cannot detect that
 * themselves. A shell holds the other end of a pipe; when the pipe closes, the shell stops the
 * processes on its list.
 */
import { spawn } from 'node:child_process'

/** SIGINT is an orderly immediate stop for both; processes that ignore it are killed. */
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
  // Runs in its own session, because Ctrl-C is sent to the whole foreground group.
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
