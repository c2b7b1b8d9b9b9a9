/** Second factor of the signed-in user: set-up with a QR code, backup codes, and removal. */
import { AppError, type accountPageOperations, twoFactorOperations } from '@status-page/contracts'
import { html, type Markup, trustedMarkup } from '@status-page/html'
import type { Call, Handlers, RawReply } from '@status-page/service'
import {
  disableTwoFactor,
  readTwoFactor,
  renewBackupCodes,
} from '../identity/login/two-factor-routes.ts'
import { confirmTwoFactor, setUpTwoFactor } from '../identity/login/two-factor-set-up.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import { accountPage, basePathOf, paragraph, redirectBelow, responseOf } from './document.ts'
import { formMarkup } from './form.ts'
import { type FormInput, inputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf, issuesOf } from './form-refusal.ts'
import {
  ACCOUNT_PATH,
  type AccountVisitor,
  pathWithNext,
  TWO_FACTOR_PATH,
  visitorOf,
} from './visitor.ts'

type Ops = typeof accountPageOperations
type TwoFactor = Pick<
  Handlers<Ops>,
  'twoFactor' | 'setUpTwoFactor' | 'confirmTwoFactor' | 'renewBackupCodes' | 'disableTwoFactor'
>

const CONFIRM = `${TWO_FACTOR_PATH}/confirm`
const BACKUP_CODES = `${TWO_FACTOR_PATH}/backup-codes`
const DISABLE = `${TWO_FACTOR_PATH}/disable`
const setUpInputs = [inputs.password]
const confirmInputs = [inputs.appCode]
const proofInputs = [inputs.password, inputs.code]

const setUpCall = apiCallOf(twoFactorOperations.setUp)
const confirmCall = apiCallOf(twoFactorOperations.verify)
const renewCall = apiCallOf(twoFactorOperations.renewBackupCodes)
const disableCall = apiCallOf(twoFactorOperations.disable)

export const twoFactorHandlers = (deps: AccountPageDeps): TwoFactor => {
  const options = { ...deps.account, issuer: new URL(deps.baseUrl).hostname }
  return {
    twoFactor: (call) =>
      asMember(deps, call, () => statePage(deps, call, { notice: call.query.notice })),

    setUpTwoFactor: (call) =>
      submit(deps, call, setUpInputs, async () => {
        const setUp = await setUpTwoFactor(setUpCall(call, call.body), options)
        return secretPage(deps, visitorOf(deps, call), setUp)
      }),

    confirmTwoFactor: (call) =>
      submit(deps, call, confirmInputs, async () => {
        const values = withTrimmedCode(call.body)
        const { backupCodes } = await confirmTwoFactor(confirmCall(call, values), options)
        return codesPage(deps, visitorOf(deps, call), backupCodes)
      }),

    renewBackupCodes: (call) =>
      submit(deps, call, proofInputs, async () => {
        const values = withTrimmedCode(call.body)
        const { backupCodes } = await renewBackupCodes(renewCall(call, values), options)
        return codesPage(deps, visitorOf(deps, call), backupCodes)
      }),

    disableTwoFactor: (call) =>
      submit(deps, call, proofInputs, async () => {
        await disableTwoFactor(disableCall(call, withTrimmedCode(call.body)), options)
        return redirectBelow(deps.baseUrl, `${TWO_FACTOR_PATH}?notice=disabled`)
      }),
  }
}

const withTrimmedCode = <Values extends { code?: string | undefined }>(values: Values) => ({
  ...values,
  code: values.code?.trim(),
})

/** A session that lacks a required second factor is admitted, because it is set up here. */
const asMember = async (
  deps: AccountPageDeps,
  call: Call,
  work: () => Promise<RawReply>,
): Promise<RawReply> =>
  visitorOf(deps, call).isSignedIn
    ? work()
    : redirectBelow(deps.baseUrl, pathWithNext('/sign-in', TWO_FACTOR_PATH))

/** Runs a form; an error that concerns it shows the form with its problem. */
const submit = (
  deps: AccountPageDeps,
  call: Call,
  fields: readonly FormInput[],
  work: () => Promise<RawReply>,
): Promise<RawReply> =>
  asMember(deps, call, async () => {
    try {
      return await work()
    } catch (error) {
      const visitor = visitorOf(deps, call)
      const problem = problemOf(error, visitor, fields)
      if (problem === null) throw error
      return fields === confirmInputs && problem.fields.size > 0
        ? confirmPage(deps, visitor, problem)
        : statePage(deps, call, { problem })
    }
  })

const problemOf = (
  error: unknown,
  visitor: AccountVisitor,
  fields: readonly FormInput[],
): FormRefusal | null => {
  if (!(error instanceof AppError)) return null
  const { twoFactor, problems } = visitor.texts
  const problem = (alert: string, invalid: FormRefusal['fields'] = new Map()): FormRefusal => ({
    status: error.status,
    alert,
    fields: invalid,
    headers: {},
  })
  switch (error.code) {
    case 'CONFLICT':
      return problem(twoFactor.expired)
    case 'FORBIDDEN':
      return problem(twoFactor.required)
    case 'VALIDATION_ERROR': {
      const messages = { password: twoFactor.wrongPassword, code: problems.wrongCode }
      const invalid = Object.entries(messages).filter(([name]) =>
        issuesOf(error).some(({ field }) => field === name),
      )
      return problem(problems.fields, new Map(invalid))
    }
    default:
      return formRefusalOf(error, visitor, fields)
  }
}

const statePage = async (
  deps: AccountPageDeps,
  call: Call,
  { notice, problem }: { notice?: 'disabled' | undefined; problem?: FormRefusal },
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { texts } = visitor
  const { twoFactor } = texts
  const { enabled, backupCodesRemaining } = await readTwoFactor(call, deps.account)
  const base = basePathOf(deps.baseUrl)
  const content = enabled
    ? html`${note(twoFactor.on)}${paragraph(twoFactor.remaining.replace('{}', String(backupCodesRemaining)))}
${formMarkup(texts, {
  action: `${base}${BACKUP_CODES}`,
  submit: twoFactor.renew,
  others: [{ action: `${base}${DISABLE}`, submit: twoFactor.disable }],
  inputs: proofInputs,
  problem: problem ?? null,
})}`
    : html`${notice === 'disabled' && note(twoFactor.disabled)}${paragraph(twoFactor.off)}
${formMarkup(texts, {
  action: `${base}${TWO_FACTOR_PATH}`,
  submit: twoFactor.start,
  inputs: setUpInputs,
  problem: problem ?? null,
})}`
  return accountPage(visitor, {
    title: twoFactor.title,
    content: html`${content}
<p class="more"><a href="${base}${ACCOUNT_PATH}">${texts.account.back}</a></p>`,
    ...responseOf(problem),
  })
}

const note = (text: string): Markup => html`<p class="note ok" role="status">${text}</p>`

const secretPage = (
  deps: AccountPageDeps,
  visitor: AccountVisitor,
  { qrCodeSvg, secret }: { qrCodeSvg: string; secret: string },
): RawReply => {
  const { twoFactor } = visitor.texts
  return accountPage(visitor, {
    title: twoFactor.title,
    content: html`${paragraph(twoFactor.scan)}
<div class="qr" role="img" aria-label="${twoFactor.qrCode}">${trustedMarkup(qrCodeSvg)}</div>
<dl class="facts"><div><dt>${twoFactor.secret}</dt><dd><code dir="ltr">${secret}</code></dd></div></dl>
${confirmForm(deps, visitor, null)}`,
  })
}

/** Form for the code without the secret, which is shown once; a new set-up shows another. */
const confirmPage = (
  deps: AccountPageDeps,
  visitor: AccountVisitor,
  problem: FormRefusal,
): RawReply => {
  const { twoFactor } = visitor.texts
  return accountPage(visitor, {
    title: twoFactor.title,
    content: html`${confirmForm(deps, visitor, problem)}
<p class="more"><a href="${basePathOf(deps.baseUrl)}${TWO_FACTOR_PATH}">${twoFactor.startOver}</a></p>`,
    ...responseOf(problem),
  })
}

const confirmForm = (
  { baseUrl }: AccountPageDeps,
  { texts }: AccountVisitor,
  problem: FormRefusal | null,
): Markup =>
  formMarkup(texts, {
    action: `${basePathOf(baseUrl)}${CONFIRM}`,
    submit: texts.twoFactor.confirm,
    inputs: confirmInputs,
    problem,
  })

const codesPage = (
  { baseUrl }: AccountPageDeps,
  visitor: AccountVisitor,
  codes: readonly string[],
): RawReply => {
  const { twoFactor } = visitor.texts
  return accountPage(visitor, {
    title: twoFactor.codes,
    content: html`${note(twoFactor.on)}${paragraph(twoFactor.codesIntro)}
<ul class="list" dir="ltr">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="more"><a class="b" href="${basePathOf(baseUrl)}${ACCOUNT_PATH}">${twoFactor.done}</a></p>`,
  })
}
