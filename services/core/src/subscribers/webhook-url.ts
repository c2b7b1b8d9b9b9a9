/** Validation of webhook targets; each connection validates its target again. */
import { invalid } from '@status-page/contracts'
import { type OutboundPolicy, resolveUrl } from '@status-page/outbound'

export const validateWebhookUrl = async (url: string, policy: OutboundPolicy): Promise<void> => {
  const verdict = await resolveUrl(url, policy)
  if (!verdict.ok) throw invalid({ field: 'webhookUrl', message: `webhookUrl ${verdict.message}` })
}
