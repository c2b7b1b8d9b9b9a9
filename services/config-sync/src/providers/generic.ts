/** Any other host: its webhooks use the signature scheme of our own outgoing webhooks. */
import { verifySignature } from '@status-page/secrets'
import { branchRef, headerOf, type Provider, valueAt } from './provider.ts'

export const generic: Provider = {
  isSigned: ({ headers, body }, secrets) =>
    verifySignature({
      secrets,
      body,
      prefix: '',
      header: headerOf(headers, 'x-signature-256'),
    }),
  deliveryIdOf: (headers) => headerOf(headers, 'webhook-id') ?? null,
  webhookKindOf: (_headers, body, branch) =>
    valueAt(body, 'ref') === branchRef(branch) ? 'push' : 'other',
  publicHost: null,
  requestAppToken: null,
  tokenUser: 'git',
  openPullRequest: null,
}
