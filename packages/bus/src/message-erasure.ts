/**
 * Secure deletion of the messages of one organization. A purge by subject leaves their bodies in
 * the block files of the server; the deletion of single messages overwrites them with random bytes.
 */
import { NatsError } from 'nats'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import { subjectsOfOrganization } from './streams.ts'

/** Messages deleted by one call, which limits it to seconds. */
const MAX_MESSAGES = 1_000

const MESSAGE_NOT_FOUND = 10037

/** Returns whether no message of the organization is left. */
export const eraseMessages = async (
  { jsm }: Pick<NatsSession, 'jsm'>,
  names: NatsNames,
  organizationId: string,
): Promise<boolean> => {
  const subject = subjectsOfOrganization(names, organizationId)
  let seq = 1
  for (let erased = 0; erased < MAX_MESSAGES; erased++) {
    const found = await nextMessage({ jsm }, names, { seq, next_by_subj: subject })
    if (found === null) return true
    await jsm.streams.deleteMessage(names.eventStream, found)
    seq = found + 1
  }
  return false
}

/** Sequence of the next message of the subject; null when there is none. */
const nextMessage = async (
  { jsm }: Pick<NatsSession, 'jsm'>,
  { eventStream }: NatsNames,
  query: { seq: number; next_by_subj: string },
): Promise<number | null> => {
  try {
    return (await jsm.streams.getMessage(eventStream, query)).seq
  } catch (error) {
    if (error instanceof NatsError && error.jsError()?.err_code === MESSAGE_NOT_FOUND) return null
    throw error
  }
}
