/**
 * Preloaded into every service process: exits when the parent process is gone, also after kill -9.
 * The IPC channel is the signal; it carries no messages.
 */
import './source-positions.ts'

const STOP_GRACE_MS = 22_000

if (process.channel) {
  process.on('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_GRACE_MS).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  // After the listener: adding one references the channel, and the channel alone must not keep the
  // process running.
  process.channel.unref()
}
