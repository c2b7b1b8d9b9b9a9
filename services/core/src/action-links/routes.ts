/** Routes of action links. GET changes nothing, because scanners of mail open every link. */
import { AppError, actionLinkOperations, type LinkAction, notFound } from '@status-page/contracts'
import { htmlReply, redirectTo, visitorLocale } from '@status-page/html'
import type { Database } from '@status-page/postgres'
import type { ActionTokens } from '@status-page/secrets'
import { type Call, createRoutes, type RawReply, type Route } from '@status-page/service'
import { actOnLink } from './act.ts'
import { type ActionProblem, actionPage, invalidActionPage } from './page.ts'
import { findActionLink, readSubject } from './targets.ts'

export interface ActionLinkDeps {
  database: Database
  tokens: ActionTokens
  baseUrl: string
}

const OK = 200
const NOT_FOUND = 404
const CONFLICT = 409

type LinkCall = Pick<Call, 'headers' | 'actor'> & { params: { token: string } }

export const actionLinkRoutes = (deps: ActionLinkDeps): Route[] =>
  createRoutes(actionLinkOperations, {
    page: (call) => renderLink(deps, call, null),
    submit: (call) => submitAction(deps, call, call.body.action),
  })

const submitAction = async (
  deps: ActionLinkDeps,
  call: LinkCall,
  action: LinkAction,
): Promise<RawReply> => {
  const { token } = call.params
  try {
    const link = await findActionLink(deps, token)
    if (link === null) throw notFound()
    const isDone = await actOnLink(deps, link, { action, caller: call.actor })
    return isDone
      ? redirectTo(`/actions/${encodeURIComponent(token)}`)
      : renderLink(deps, call, 'withoutComponents')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'CONFLICT') return renderLink(deps, call, 'alreadyDone')
    if (error.code === 'NOT_FOUND') return invalidLink(call)
    throw error
  }
}

const renderLink = async (
  deps: ActionLinkDeps,
  call: LinkCall,
  problem: ActionProblem | null,
): Promise<RawReply> => {
  const { token } = call.params
  const link = await findActionLink(deps, token)
  const subject = link === null ? null : await readSubject(deps, link)
  if (subject === null) return invalidLink(call)
  const page = actionPage(subject, { token, locale: localeOf(call), problem })
  return htmlReply(page, problem === null ? OK : CONFLICT)
}

const invalidLink = (call: LinkCall): RawReply =>
  htmlReply(invalidActionPage(localeOf(call)), NOT_FOUND)

const localeOf = ({ headers }: LinkCall) => visitorLocale(headers['accept-language'])
