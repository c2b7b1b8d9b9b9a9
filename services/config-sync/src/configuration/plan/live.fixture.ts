/** Live state of tests. */
import type { LiveConfiguration } from './live.ts'

/** Live state with nothing but the given parts. */
export const liveOf = (parts: Partial<LiveConfiguration> = {}): LiveConfiguration => ({
  components: [],
  integrations: [],
  definitions: [],
  references: { member: new Map(), notification_channel: new Map() },
  ...parts,
})
