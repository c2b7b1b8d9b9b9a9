/** The one door to the outside world. */
export { isMetadata, isPublic, parseAddress } from './address-rules.ts'
export { type OutboundError, outboundErrors } from './failure.ts'
export {
  checkSshServer,
  type JudgedAddress,
  judgedAddress,
  judgeSshServer,
  type SshVerdict,
  trustedAuthorities,
} from './foreign.ts'
export * from './headers.ts'
export { folderMailer } from './mail-folder.ts'
export { canonicalNetwork, isInNetworks } from './networks.ts'
export * from './outbound.ts'
export { type OutboundPolicy, outboundPolicy, type PolicyOptions, SMTP_PORTS } from './policy.ts'
export {
  type OutboundAnswer,
  type OutboundFault,
  type OutboundMethod,
  type OutboundRequest,
  type OutboundSuccess,
  type OutboundTimings,
  outboundMethods,
} from './request.ts'
export {
  type Alias,
  type AliasResolver,
  dnsResolver,
  type Resolver,
  type TextAnswer,
  type TextResolver,
} from './resolve.ts'
export { type SmsAccount, SmsUnreachable, smsClient } from './sms.ts'
export type { Mail, MailAnswer, Mailer, SmtpServer } from './smtp.ts'
export type { MailFault } from './smtp-replies.ts'
export { StepBudget, StepBudgetError } from './step-budget.ts'
export {
  checkSmtpServer,
  checkUrl,
  judgeSmtpServer,
  judgeUrl,
  type SmtpVerdict,
  type UrlOptions,
  type UrlScheme,
  type UrlVerdict,
} from './target.ts'
export { parseUntrustedJson } from './untrusted-json.ts'
