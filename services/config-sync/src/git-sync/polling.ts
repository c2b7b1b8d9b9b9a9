/** Polling interval of a repository: webhooks get lost, and changes made elsewhere send none. */
import type { GitSyncSettings } from './settings.ts'

/** Returns null if neither autoSync nor writeBack is enabled. */
export const firstPollAt = (
  { autoSync, writeBack }: Pick<GitSyncSettings, 'autoSync' | 'writeBack'>,
  now: Date,
  minutes: number,
): Date | null => (autoSync || writeBack ? nextPollAt(now, minutes) : null)

export const nextPollAt = (now: Date, minutes: number): Date =>
  new Date(now.getTime() + minutes * 60_000)
