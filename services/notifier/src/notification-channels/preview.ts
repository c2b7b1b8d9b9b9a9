/** Preview of a channel's message for given templates; saves and sends nothing. */
import type { Body, ChannelPreview, notificationChannelOperations } from '@status-page/contracts'
import { renderContent } from '../channels/render.ts'
import { defaultLanguage } from '../messages/reader-language.ts'
import { sampleEvent } from '../messages/sample.ts'
import { unknownPlaceholders } from '../messages/template.ts'
import { validateTemplates } from '../messages/template-limits.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

type PreviewRequest = Body<typeof notificationChannelOperations.preview>

export const previewMessages = (
  request: PreviewRequest,
  now: Date,
  baseUrl: string,
): ChannelPreview => {
  const { type, messageTemplate = null, bodyTemplate = null, event = 'incident.created' } = request
  validateTemplates({ messageTemplate, bodyTemplate })
  const { mail, text, body } = renderContent(type, {
    event: sampleEvent(event, now, baseUrl),
    context: {
      baseUrl,
      senderName: 'Example',
      appearance: null,
      language: defaultLanguage,
      coveredUpdates: 0,
      sequence: 1,
      reader: { kind: 'channel', channelName: 'Preview' },
      messageTemplate,
    },
    config: type === 'webhook' ? { url: baseUrl, method: 'POST', headers: {}, bodyTemplate } : null,
  })
  return {
    contentType: body === null ? TEXT_TYPE : JSON_TYPE,
    subject: mail?.subject ?? null,
    body: mail?.text ?? text ?? body?.toString() ?? '',
    html: mail?.html ?? null,
    warnings: unknownPlaceholders(messageTemplate, bodyTemplate),
  }
}
