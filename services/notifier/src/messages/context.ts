/** Context of a message besides its content: sender, reader and language. */
import type { PageAppearance } from '../audiences/pages.ts'
import type { ReaderLanguage } from './language.ts'

export interface MessageContext {
  /** Name of the page for its subscribers, else of the organization. */
  senderName: string
  /** Look of the page; null for messages that concern no page. */
  appearance: PageAppearance | null
  baseUrl: string
  language: ReaderLanguage
  /** Version of the event's aggregate. */
  sequence: number
  /** Number of earlier updates that this message replaces, because they waited too long. */
  coveredUpdates: number
  reader: MessageRecipient
  /** Page that acts on the alert or draft. */
  actionUrl?: string | null
  /** Template of the channel; null for the built-in format. */
  messageTemplate: string | null
}

export type MessageRecipient =
  /** Token of the manage and unsubscribe links; null for an unknown one. */
  { kind: 'subscriber'; manageToken: string | null } | { kind: 'channel'; channelName: string }

export const manageUrlOf = ({ baseUrl, reader }: MessageContext): string | null =>
  reader.kind === 'channel' || reader.manageToken === null
    ? null
    : `${baseUrl}/subscriptions/${reader.manageToken}`

export const coveredUpdatesLine = ({ coveredUpdates, language }: MessageContext): string | null =>
  coveredUpdates === 0 ? null : language.coveredUpdates(coveredUpdates)

/** Label of the link of a message. */
export const linkLabelOf = (
  { url, noun }: { url: string | null; noun: keyof ReaderLanguage['view'] },
  { actionUrl = null, language }: MessageContext,
): string => (url !== null && url === actionUrl ? language.respond : language.view[noun])

/** Sentence that states why the reader receives the message. */
export const subscriptionReason = ({ reader, senderName, language }: MessageContext): string =>
  reader.kind === 'channel'
    ? language.channelOf(reader.channelName, senderName)
    : language.subscribed(senderName)
