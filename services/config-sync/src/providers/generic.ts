/** Any other host: its webhooks use the signature scheme of our own outgoing webhooks. */
import { verifySignature } from '@status-page/secrets'
import { at, headerOf, type Provider, refOf } from './provider.ts'

export const generic: Provider = {
  isSigned: ({ headers, body }, secrets) =>
    verifySignature({
      secrets,
      body,
      prefix: '',
      header: headerOf(headers, 'x-signature-256'),
    }),
  deliveryIdOf: (headers) => headerOf(headers, 'webhook-id') ?? null,
  webhookKindOf: (_headers, body, branch) => (at(body, 'ref') === refOf(branch) ? 'push' : 'other'),
  tokenUser: 'git',
  openPullRequest: null,
}
