/**
 * Preloaded into every service process: stops it when the process that started it is gone, however that died.
 * The IPC channel is the rope; it carries no message.
 */
import './drizzle-modules.ts'

const STOP_GRACE_MS = 22_000

if (process.channel) {
  process.on('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_GRACE_MS).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  // After the listener: adding one takes a reference, and the channel alone must keep nothing alive.
  process.channel.unref()
}
