/** HTML kit of the pages that services render: escaped markup, style, theme, policy, replies. */

export { contentSecurityPolicy, policyHash } from './content-security-policy.ts'
export { escapeHtml, escapeXml, stripInvalidXmlCharacters } from './escape.ts'
export {
  fillPlaceholders,
  fillText,
  html,
  linkUrls,
  Markup,
  type MarkupValue,
  renderEach,
  renderMarkup,
  trustedMarkup,
} from './markup.ts'
export { messageMarkup } from './message-markup.ts'
export { HTML_CONTENT_TYPE, htmlReply, type RenderedHtml, redirectTo } from './reply.ts'
export { type DocumentLanguage, standalonePage } from './standalone-page.ts'
export { pageStyleSheet } from './style.ts'
export {
  colourDeclarations,
  darkColours,
  ensureContrast,
  lightColours,
  noTheme,
  primaryColourOnBackground,
  stateColour,
  stateColourOnBackground,
  symbolColourOn,
  type Theme,
  textColourOn,
} from './theme.ts'
export { visitorLocale } from './visitor-locale.ts'
