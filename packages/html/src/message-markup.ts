/** Messages of incidents, drafts, maintenances and postmortems as markup. */
import { messageHtml } from '@status-page/markdown'
import { stripInvalidXmlCharacters } from './escape.ts'
import { html, type Markup, trustedMarkup } from './markup.ts'

/** Message of an incident, a draft, a maintenance or a postmortem, as block elements. */
export const messageMarkup = (message: string): Markup =>
  html`<div class="msg">${trustedMarkup(messageHtml(stripInvalidXmlCharacters(message)))}</div>`
