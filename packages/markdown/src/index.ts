export {
  commonMark,
  discordMarkdown,
  type MarkupDialect,
  messagePlainText,
  renderMessage,
  slackMrkdwn,
  teamsMarkdown,
} from './dialects.ts'
export { messageHtml } from './html.ts'
