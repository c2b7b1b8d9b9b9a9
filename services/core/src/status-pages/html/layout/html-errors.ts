/** HTML responses for errors: page not found, and the password prompt. */
import { AppError } from '@status-page/contracts'
import { htmlReply, visitorLocale } from '@status-page/html'
import type { Call, RawReply } from '@status-page/service'
import { type AccessProblem, notFoundPage, passwordForm } from './access-pages.ts'
import { pagePaths } from './urls.ts'

const UNAUTHORIZED = 401
const NOT_FOUND = 404

type PageRequest = Pick<Call, 'headers'> & { params: { slug: string } }

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
