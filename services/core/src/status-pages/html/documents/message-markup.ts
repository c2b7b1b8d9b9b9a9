/** Messages of incidents, maintenances and postmortems as markup. */
import { html, type Markup, stripInvalidXmlCharacters, trustedMarkup } from '@status-page/html'
import { messageHtml } from '@status-page/markdown'

/** Message of an incident, a maintenance or a postmortem, as block elements. */
export const messageMarkup = (message: string): Markup =>
  html`<div class="msg">${trustedMarkup(messageHtml(stripInvalidXmlCharacters(message)))}</div>`
