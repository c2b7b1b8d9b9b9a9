/** Outbound requests: the only package that connects to hosts outside of the installation. */
export {
  isMetadataAddress,
  isPublicAddress,
  parseAddress,
} from './address-rules.ts'
export { type OutboundError, outboundErrors } from './failure.ts'
export * from './headers.ts'
export { createFolderMailer } from './mail-folder.ts'
export { canonicalNetwork, isInNetworks, networkOf } from './networks.ts'
export * from './outbound.ts'
export { type OutboundPolicy, outboundPolicy, type PolicyOptions, SMTP_PORTS } from './policy.ts'
export {
  type OutboundFault,
  type OutboundMethod,
  type OutboundRequest,
  type OutboundResult,
  type OutboundSuccess,
  type OutboundTimings,
  outboundMethods,
} from './request.ts'
export {
  type AliasResolver,
  type CnameLookupResult,
  createDnsResolver,
  type Resolver,
  type TextLookupResult,
  type TextResolver,
} from './resolve.ts'
export { createSmsClient, type SmsAccount, SmsUnreachable } from './sms.ts'
export type { Mail, Mailer, MailResult, SmtpServer } from './smtp.ts'
export type { MailFault } from './smtp-replies.ts'
export { StepBudget, StepBudgetError } from './step-budget.ts'
export {
  checkSmtpServer,
  checkUrl,
  resolveSmtpServer,
  resolveUrl,
  type SmtpVerdict,
  type UrlOptions,
  type UrlScheme,
  type UrlVerdict,
} from './target.ts'
export {
  type CheckedAddress,
  checkSshServer,
  resolveCheckedAddress,
  resolveSshServer,
  type SshVerdict,
  trustedAuthorities,
} from './untrusted-client.ts'
export { parseUntrustedJson } from './untrusted-json.ts'
