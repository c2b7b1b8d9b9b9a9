/** What a message says beside its news: who writes, to whom, and how. */
import type { MessageLanguage } from './language.ts'

export interface MessageContext {
  organizationName: string
  baseUrl: string
  language: MessageLanguage
  /** Version of what the message is about. */
  sequence: number
  /** Earlier updates that this message stands for, because they waited too long. */
  coveredUpdates: number
  reader: MessageRecipient
  /** Template of the channel that it goes through; null: our own words. */
  messageTemplate: string | null
}

export type MessageRecipient =
  /** Token of the manage and unsubscribe links; null when none is known. */
  { kind: 'subscriber'; manageToken: string | null } | { kind: 'channel'; channelName: string }

export const manageUrlOf = ({ baseUrl, reader }: MessageContext): string | null =>
  reader.kind === 'channel' || reader.manageToken === null
    ? null
    : `${baseUrl}/subscriptions/${reader.manageToken}`

export const coveredLine = ({ coveredUpdates, language }: MessageContext): string | null =>
  coveredUpdates === 0 ? null : language.coveredUpdates(coveredUpdates)

/** Why the reader gets it. */
export const reasonOf = ({ reader, organizationName, language }: MessageContext): string =>
  reader.kind === 'channel'
    ? language.channelOf(reader.channelName, organizationName)
    : language.subscribed(organizationName)
