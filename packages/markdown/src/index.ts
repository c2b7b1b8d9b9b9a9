export {
  commonMark,
  discordMarkdown,
  type MarkupDialect,
  messageCommonMark,
  messagePlainText,
  renderMessage,
  slackMrkdwn,
  teamsMarkdown,
} from './dialects.ts'
export { messageHtml } from './html.ts'
