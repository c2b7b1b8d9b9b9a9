/** Senders by destination type. */
import type { ChannelType } from '@status-page/contracts'
import type { SenderContext, Senders } from './channel.ts'
import { channels } from './index.ts'

const USER_AGENT = 'status-page-service/0.1.0'

export const createSenders = (context: Omit<SenderContext, 'userAgent'>): Senders =>
  Object.fromEntries(
    Object.entries(channels).map(([type, channel]) => [
      type as ChannelType,
      channel.createSender({ ...context, userAgent: USER_AGENT }),
    ]),
  ) as Senders
