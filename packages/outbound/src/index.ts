/** Outbound requests: the only package that connects to hosts outside of the installation. */
export type { ConnectResult } from './connection-check.ts'
export type { DnsResponse } from './dns-query.ts'
export * from './headers.ts'
export { validateAddresses } from './lookups.ts'
export { createFolderMailer } from './mail-folder.ts'
export { canonicalNetwork, isInNetworks } from './networks.ts'
export * from './outbound.ts'
export type { PingReply } from './ping.ts'
export { type OutboundPolicy, outboundPolicy } from './policy.ts'
export { acceptsText } from './ports.ts'
export type { OutboundMethod, OutboundResult, OutboundSuccess } from './request.ts'
export {
  type AliasResolver,
  type CnameLookupResult,
  createDnsResolver,
  type Resolver,
  type TextLookupResult,
  type TextResolver,
} from './resolve.ts'
export { createSingleConnection, type SingleConnection } from './single-connection.ts'
export { createSmsClient, SmsUnreachable } from './sms.ts'
export type { Mail, Mailer, MailResult, SmtpServer } from './smtp.ts'
export { StepBudget, StepBudgetError } from './step-budget.ts'
export {
  checkSmtpServer,
  checkUrl,
  resolveNetwork,
  resolveSmtpServer,
  resolveUrl,
  type UrlOptions,
} from './target.ts'
export {
  checkSshServer,
  resolveCheckedAddress,
  resolveSshServer,
  trustedAuthorities,
} from './untrusted-client.ts'
export { parseUntrustedJson } from './untrusted-json.ts'
