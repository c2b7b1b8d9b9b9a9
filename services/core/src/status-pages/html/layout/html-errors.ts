/** HTML responses for errors: page not found, and the password prompt. */
import { AppError } from '@status-page/contracts'
import { type Call, type RawReply, rawReply } from '@status-page/service'
import type { RenderedHtml } from './layout.ts'
import { type AccessProblem, notFoundPage, passwordForm, visitorLocale } from './standalone-page.ts'
import { pagePaths } from './urls.ts'

export const HTML_CONTENT_TYPE = 'text/html; charset=utf-8'
const UNAUTHORIZED = 401
const NOT_FOUND = 404
const SEE_OTHER = 303

type PageRequest = Pick<Call, 'headers'> & { params: { slug: string } }

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

export const withHtmlErrors = async (
  call: PageRequest,
  baseUrl: string,
  work: () => Promise<RawReply>,
): Promise<RawReply> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'NOT_FOUND')
      return htmlReply(notFoundPage(visitorLocale(languageOf(call))), NOT_FOUND)
    if (error.code === 'UNAUTHORIZED') return passwordPrompt(call, baseUrl, null)
    throw error
  }
}

/** Password prompt, the same for every page, so that it reveals nothing about the page. */
export const passwordPrompt = (
  call: PageRequest,
  baseUrl: string,
  problem: AccessProblem | null,
  status = UNAUTHORIZED,
): RawReply => {
  const action = pagePaths(call.params.slug, call.headers, baseUrl).path('/access')
  return htmlReply(passwordForm(visitorLocale(languageOf(call)), action, problem), status)
}

const languageOf = ({ headers }: PageRequest) => headers['accept-language']
