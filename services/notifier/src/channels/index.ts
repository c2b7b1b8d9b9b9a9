/** Channel kinds; a kind of the contract that is missing here does not compile. */
import type { ChannelType } from '@status-page/contracts'
import type { ChannelKind } from './channel.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { slack } from './slack.ts'
import { sms } from './sms.ts'
import { teams } from './teams.ts'
import { webhook } from './webhook.ts'

export const channels: Record<ChannelType, ChannelKind> = {
  email,
  sms,
  slack,
  discord,
  teams,
  webhook,
}
