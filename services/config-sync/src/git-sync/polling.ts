/** When a repository is looked at unasked: bells get lost, and changes made elsewhere ring none. */
import type { GitSyncSettings } from './settings.ts'

/** Null while nobody asked for it. */
export const firstPollAt = (
  { autoSync, writeBack }: Pick<GitSyncSettings, 'autoSync' | 'writeBack'>,
  now: Date,
  minutes: number,
): Date | null => (autoSync || writeBack ? nextPollAt(now, minutes) : null)

export const nextPollAt = (now: Date, minutes: number): Date =>
  new Date(now.getTime() + minutes * 60_000)
