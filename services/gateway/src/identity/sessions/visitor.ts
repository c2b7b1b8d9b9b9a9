/**
 * Identification of visitors of public status pages. A session identifies a member and has no other
 * effect. Failed lookups make the visitor anonymous, so that public pages remain available.
 */
import type { Credentials } from './credentials.ts'
import { type IdentifiedCaller, unidentifiedCaller } from './identified-caller.ts'

export const identifyVisitor = async (
  credentials: Credentials,
  rawHeaders: readonly string[],
): Promise<IdentifiedCaller> => {
  // An API key takes precedence and never identifies a member, so no lookup is needed.
  if (names(rawHeaders).includes('authorization')) return unidentifiedCaller
  const identified = await credentials.identify(rawHeaders).catch(() => unidentifiedCaller)
  const { kind, caller, needsEnrolment, sessionHash } = identified
  if (kind !== 'session' || needsEnrolment) return unidentifiedCaller
  // Visitors are neither renewed nor counted by credential, because the response may be cached by
  // proxies.
  const visitor = { ...caller, grants: { kind: 'session' as const, rights: [] } }
  return { ...unidentifiedCaller, caller: visitor, sessionHash }
}

const names = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.flatMap((text, index) => (index % 2 === 0 ? [text.toLowerCase()] : []))
