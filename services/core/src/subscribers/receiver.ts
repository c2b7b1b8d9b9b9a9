/** Where a webhook may go: judged when it is given, and again at each connection. */
import { invalid } from '@status-page/contracts'
import { judgeUrl, type OutboundPolicy } from '@status-page/outbound'

export const judgeReceiver = async (url: string, policy: OutboundPolicy): Promise<void> => {
  const verdict = await judgeUrl(url, policy)
  if (!verdict.ok) throw invalid({ field: 'webhookUrl', message: verdict.message })
}
