/** Replies with a document, and redirects. */
import { type RawReply, rawReply } from '@status-page/service'

export const HTML_CONTENT_TYPE = 'text/html; charset=utf-8'
const SEE_OTHER = 303

export interface RenderedHtml {
  body: string
  headers: Record<string, string>
}

export const htmlReply = ({ body, headers }: RenderedHtml, status = 200): RawReply =>
  rawReply({
    status,
    contentType: HTML_CONTENT_TYPE,
    body,
    headers: { 'cache-control': 'no-store', ...headers },
  })

/** Redirects with 303 after a POST, so that going back submits nothing twice. */
export const redirectTo = (location: string): RawReply =>
  rawReply({
    status: SEE_OTHER,
    contentType: HTML_CONTENT_TYPE,
    body: '',
    headers: { location, 'cache-control': 'no-store' },
  })
