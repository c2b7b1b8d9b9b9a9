/**
 * Creation of a status page with checked components. Core creates all of it in one transaction; a
 * repeated form finds what the first one created.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Semaphore } from '@status-page/concurrency'
import {
  AppError,
  type accountPageOperations,
  componentOperations,
  grantsCover,
  pageSetupOperations,
  type Reply,
  statusPageOperations,
} from '@status-page/contracts'
import { html } from '@status-page/html'
import { randomToken, sha256 } from '@status-page/secrets'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { getMe } from '../identity/account/me.ts'
import type { AccountPageDeps } from './deps.ts'
import { accountPage, basePathOf, paragraph, redirectBelow, responseOf } from './document.ts'
import { type FormValues, formMarkup } from './form.ts'
import { pageInputs } from './form-inputs.ts'
import type { FormRefusal } from './form-refusal.ts'
import { asUser, redirectUnauthenticated, requireCore } from './member.ts'
import { enteredUrls, pageRefusalOf, pageSetupOf, pageSlugFrom, tooManyUrls } from './page-form.ts'
import { ACCOUNT_PATH, type AccountVisitor, NEW_PAGE_PATH, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type NewPage = Pick<Handlers<Ops>, 'newPage' | 'submitNewPage'>

const FORBIDDEN = 403

export const newPageHandlers = (deps: AccountPageDeps): NewPage => {
  const checks = new Semaphore(checkSlots)
  return {
    async newPage(call) {
      const refused = await refusalOf(deps, call)
      if (refused !== null) return refused
      const { organization } = await getMe(call as never, deps.account)
      const { name } = organization
      const values = { name, slug: pageSlugFrom(name) }
      return formPage(deps, visitorOf(deps, call), { key: randomToken(), values })
    },

    submitNewPage: (call) => submitNewPage(deps, call, checks),
  }
}

/** Returns whether the user may create a page and components. */
export const mayCreatePage = ({ caller: { grants } }: Call): boolean =>
  [statusPageOperations.create, componentOperations.create].every((operation) =>
    grantsCover(grants, operation),
  )

const refusalOf = async (deps: AccountPageDeps, call: Call): Promise<RawReply | null> => {
  const redirect = await redirectUnauthenticated(deps, call, NEW_PAGE_PATH)
  if (redirect !== null || mayCreatePage(call)) return redirect
  const visitor = visitorOf(deps, call)
  const { newPage, problems } = visitor.texts
  return accountPage(visitor, {
    title: newPage.title,
    content: paragraph(problems.forbidden),
    status: FORBIDDEN,
  })
}

const submitNewPage = async (
  deps: AccountPageDeps,
  call: Call<Ops['submitNewPage']>,
  checks: Semaphore,
): Promise<RawReply> => {
  const refused = await refusalOf(deps, call)
  if (refused !== null) return refused
  const visitor = visitorOf(deps, call)
  const { key, ...entered } = call.body
  const values = { ...entered, slug: entered.slug?.trim() || pageSlugFrom(entered.name ?? '') }
  const urls = enteredUrls(values.urls ?? '')
  const tooMany = tooManyUrls(visitor, urls)
  if (tooMany !== null) return formPage(deps, visitor, { key, values, problem: tooMany })
  try {
    const { id, componentIds } = await createPage(deps, call, {
      key,
      body: pageSetupOf(values, urls, visitor),
    })
    deps.purgePages(call.organizationId)
    await checkOnce(deps, call, { componentIds, checks })
    return redirectBelow(deps.baseUrl, `${ACCOUNT_PATH}/pages/${id}`)
  } catch (error) {
    const problem = pageRefusalOf(error, visitor, urls)
    if (problem === null) throw error
    return formPage(deps, visitor, { key, values, problem })
  }
}

/** Delays while an earlier submission of the same form runs. */
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 2_000]
/** DNS lookups of the URLs take up to 3 s. */
const SETUP_TIMEOUT_MS = 15_000

type PageSetup = typeof pageSetupOperations.create

/** The key covers the values: a form that is changed and submitted again is a new request. */
const createPage = async (
  deps: AccountPageDeps,
  call: Call,
  { key, body }: { key: string; body: ReturnType<typeof pageSetupOf> },
): Promise<Reply<PageSetup>> => {
  const core = requireCore(deps)
  const request = {
    ...asUser(call),
    body,
    headers: { 'idempotency-key': `${key}.${sha256(JSON.stringify(body))}` },
    timeoutMs: SETUP_TIMEOUT_MS,
  }
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await core.call(pageSetupOperations.create, request)
    } catch (error) {
      if (!isRunning(error)) throw error
      await delay(delayMs)
    }
  }
  return core.call(pageSetupOperations.create, request)
}

const isRunning = (error: unknown): boolean =>
  error instanceof AppError && error.details?.reason === 'already_running'

/** Checks of new components in this process; one organization cannot take all slots. */
const checkSlots = { slots: 24, slotsPerKey: 6, maxWaiting: 500, waitMs: 4_000 }
/** A check takes at most 10 s by default; core waits up to 3 s for the monitor. */
const CHECK_TIMEOUT_MS = 13_500

/**
 * Checks each component, so that the next page has a result. A component without a slot or a result
 * is left to the schedule.
 */
const checkOnce = async (
  deps: AccountPageDeps,
  call: Call,
  { componentIds, checks }: { componentIds: readonly string[]; checks: Semaphore },
): Promise<void> => {
  const core = requireCore(deps)
  const check = async (id: string) => {
    const release = await checks.acquire(call.organizationId)
    if (release === null) return
    try {
      const request = { ...asUser(call), params: { id }, timeoutMs: CHECK_TIMEOUT_MS }
      await core.call(componentOperations.check, request)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      call.log.info({ err: error, componentId: id }, 'first check of a component failed')
    } finally {
      release()
    }
  }
  await Promise.all(componentIds.map(check))
}

interface PageForm {
  key: string
  values: FormValues
  problem?: FormRefusal
}

const formPage = (
  deps: AccountPageDeps,
  visitor: AccountVisitor,
  { key, values, problem }: PageForm,
): RawReply => {
  const { newPage } = visitor.texts
  const base = basePathOf(deps.baseUrl)
  const form = formMarkup(visitor.texts, {
    action: `${base}${NEW_PAGE_PATH}`,
    submit: newPage.submit,
    inputs: Object.values(pageInputs),
    hidden: { key },
    values,
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title: newPage.title,
    content: html`${paragraph(newPage.intro)}${form}
<p class="more"><a href="${base}${ACCOUNT_PATH}">${newPage.later}</a></p>`,
    ...responseOf(problem),
  })
}
