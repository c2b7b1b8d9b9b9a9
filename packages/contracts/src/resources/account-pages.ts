/**
 * HTML pages of the gateway for people without an API client: first set-up, login, registration,
 * invitation, password reset, verification of an address. Usable without scripts.
 */
import { type TObject, Type } from '@sinclair/typebox'
import { type Operation, operation } from '../operation.ts'
import type { BucketName } from '../rate-bucket.ts'
import { IdParams, OneOf } from '../scalars.ts'
import { MAX_PAGE_ENDPOINTS } from './page-setups.ts'

/** Notices on the page of the signed-in user, after a form. */
const accountNotices = ['email', 'sent'] as const
export type AccountNotice = (typeof accountNotices)[number]

const HTML = 'text/html'

/** Maximum size of a form; its longest fields are a password and a token. */
const FORM_LIMIT = 16 * 1024

/** Maximum length of the list of URLs: each at its own maximum, with two characters as line end. */
const MAX_URLS_LENGTH = MAX_PAGE_ENDPOINTS * (2048 + 2)
/** A character takes three bytes once it is encoded. */
const PAGE_FORM_LIMIT = FORM_LIMIT + 3 * MAX_URLS_LENGTH

const Token = Type.String({ maxLength: 256 })
const TokenParams = Type.Object({ token: Token })
/** The JSON operation validates the value; an invalid one returns the form with the error. */
const Entry = Type.Optional(Type.String({ maxLength: 2048 }))
const Secret = Type.Optional(Type.String({ maxLength: 1024, writeOnly: true }))
const Next = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: 'Local path that follows the login; any other value counts as `/account`',
  }),
)

interface AccountPageSpec {
  summary: string
  description?: string
  params?: TObject
  query?: TObject
}

const page = <const Id extends string, const Path extends string, Rest extends AccountPageSpec>(
  id: Id,
  path: Path,
  rest: Rest,
) =>
  operation({
    id: `account-pages.${id}`,
    path,
    service: 'gateway',
    method: 'GET',
    base: 'root',
    status: 200,
    permission: 'public',
    bucket: 'public read',
    reply: Type.String(),
    produces: [HTML],
    ...rest,
  } as const)

type FormSpec = AccountPageSpec & { body?: TObject }

const formWith = <
  const Id extends string,
  const Path extends string,
  Rest extends FormSpec & {
    status: number
    bucket: BucketName
    alsoCounts?: readonly BucketName[]
    bodyLimit: number
  },
>(
  id: Id,
  path: Path,
  rest: Rest,
) =>
  operation({
    id: `account-pages.${id}`,
    path,
    service: 'gateway',
    method: 'POST',
    base: 'root',
    permission: 'public',
    idempotencyKey: false,
    bodyType: 'form',
    reply: Type.String(),
    produces: [HTML],
    ...rest,
  } as const)

const form = <const Id extends string, const Path extends string, Rest extends FormSpec>(
  id: Id,
  path: Path,
  rest: Rest,
) => formWith(id, path, { status: 303, bucket: 'auth', bodyLimit: FORM_LIMIT, ...rest })

/** Form whose response shows secrets once, so that it is no redirect. */
const secretForm = <const Id extends string, const Path extends string, Rest extends FormSpec>(
  id: Id,
  path: Path,
  rest: Rest,
) => formWith(id, path, { status: 200, bucket: 'auth', bodyLimit: FORM_LIMIT, ...rest })

const INVALID_INPUT = 'Invalid input returns the form with the errors.'

export const accountPageOperations = {
  root: page('root', '/', {
    summary: 'Read the start page',
    description:
      'Notes that no account exists, as long as that is the case; then by the setting ' +
      '`ROOT_PAGE`: the page of the signed-in user (303), the list of public status pages, or ' +
      'one status page (303). 404 for clients that do not accept HTML.',
  }),
  setup: page('setup', '/setup', {
    summary: 'Read the form for the first account',
    description:
      'The service prints the link at its start while no account exists. 404 for any other ' +
      'token, 409 once an account exists.',
    query: Type.Object({ token: Type.Optional(Token) }),
  }),
  submitSetup: form('submitSetup', '/setup', {
    summary: 'Create the first account and its organization',
    description:
      'Like `POST /auth/register`, also while registration is closed; of several submissions ' +
      `one succeeds. ${INVALID_INPUT}`,
    body: Type.Object({
      token: Token,
      organizationName: Entry,
      name: Entry,
      email: Entry,
      password: Secret,
    }),
  }),
  signIn: page('signIn', '/sign-in', {
    summary: 'Read the login form',
    query: Type.Object({
      next: Next,
      notice: Type.Optional(OneOf(['password'])),
    }),
  }),
  submitSignIn: form('submitSignIn', '/sign-in', {
    summary: 'Submit the login form',
    description:
      'Like `POST /auth/login`. An account with a second factor continues at `/sign-in/code`, ' +
      `within five minutes. ${INVALID_INPUT}`,
    body: Type.Object({ email: Entry, password: Secret, next: Next }),
  }),
  code: page('code', '/sign-in/code', {
    summary: 'Read the form for the second factor of a login',
    query: Type.Object({ next: Next }),
  }),
  submitCode: form('submitCode', '/sign-in/code', {
    summary: 'Submit the second factor of a login',
    description: `Verifies password and code, like \`POST /auth/login\`. ${INVALID_INPUT}`,
    body: Type.Object({ code: Secret, next: Next }),
  }),
  sso: page('sso', '/sign-in/sso', {
    summary: 'Read the form for single sign-on, or continue to an identity provider',
    description:
      'With `organization`, the page leads to `GET /auth/saml/{orgSlug}/login`, at once unless ' +
      'it has a notice.',
    query: Type.Object({
      next: Next,
      organization: Type.Optional(Type.String({ maxLength: 63 })),
      notice: Type.Optional(OneOf(['invitation'])),
    }),
  }),
  submitSso: form('submitSso', '/sign-in/sso', {
    summary: 'Find the identity provider of an address or organization',
    description: `Like \`POST /auth/saml/detect\`, and also by the slug of an organization. ${INVALID_INPUT}`,
    body: Type.Object({ ssoAccount: Entry, next: Next }),
  }),
  signOut: form('signOut', '/sign-out', {
    summary: 'Log out',
    description: 'Like `POST /auth/logout`. `next` is a local path; by default the login form.',
    body: Type.Object({ next: Next }),
  }),
  register: page('register', '/register', {
    summary: 'Read the registration form',
    description: '403 when registration is closed.',
  }),
  submitRegister: form('submitRegister', '/register', {
    summary: 'Submit the registration form',
    description: `Like \`POST /auth/register\`. ${INVALID_INPUT}`,
    body: Type.Object({
      organizationName: Entry,
      name: Entry,
      email: Entry,
      password: Secret,
    }),
  }),
  invitation: page('invitation', '/invitations/{token}', {
    summary: 'Read the page of an invitation',
    description:
      'The mail links to it. Shows what accepting takes: nothing, a login, or a new account. ' +
      '404 for a token that is unknown, used, withdrawn or expired.',
    params: TokenParams,
  }),
  acceptInvitation: form('acceptInvitation', '/invitations/{token}', {
    summary: 'Accept an invitation',
    description: `Like \`POST /auth/invitations/accept\`. ${INVALID_INPUT}`,
    params: TokenParams,
    body: Type.Object({ name: Entry, password: Secret, code: Secret }),
  }),
  forgotPassword: page('forgotPassword', '/forgot-password', {
    summary: 'Read the form for a reset mail',
    query: Type.Object({ sent: Type.Optional(Type.Boolean()) }),
  }),
  submitForgotPassword: form('submitForgotPassword', '/forgot-password', {
    summary: 'Request a reset mail',
    description: `Like \`POST /auth/password/forgot\`: the same response for every address. ${INVALID_INPUT}`,
    body: Type.Object({ email: Entry }),
  }),
  resetPassword: page('resetPassword', '/reset-password/{token}', {
    summary: 'Read the form for a new password',
    description: 'The mail links to it. 404 for a token that is unknown, used or expired.',
    params: TokenParams,
  }),
  submitResetPassword: form('submitResetPassword', '/reset-password/{token}', {
    summary: 'Submit a new password',
    description: `Like \`POST /auth/password/reset\`. ${INVALID_INPUT}`,
    params: TokenParams,
    body: Type.Object({ newPassword: Secret }),
  }),
  confirmEmail: page('confirmEmail', '/confirm-email/{token}', {
    summary: 'Read the page that confirms an e-mail address',
    description:
      'The mail links to it. Without a session, it redirects to the login form (303). 404 for a ' +
      'token that is unknown, used, expired or of another account.',
    params: TokenParams,
  }),
  resendVerification: form('resendVerification', '/confirm-email', {
    summary: 'Send the mail that confirms an e-mail address again',
    description: 'Like `POST /auth/email/verification`.',
  }),
  submitConfirmEmail: form('submitConfirmEmail', '/confirm-email/{token}', {
    summary: 'Confirm an e-mail address',
    description: 'Like `POST /auth/email/verify`.',
    params: TokenParams,
  }),
  newPage: page('newPage', '/account/new-page', {
    summary: 'Read the form for a new status page',
    description: 'Without a session, it redirects to the login form (303). 403 without the rights.',
  }),
  submitNewPage: formWith('submitNewPage', '/account/new-page', {
    status: 303,
    summary: 'Create and publish a status page with checked components',
    description:
      'Creates one ENDPOINT component per line of `urls` and a published page that shows them, ' +
      'all or nothing, and checks each component once. Redirects to `/account/pages/{id}`. ' +
      `Repeated with the same \`key\` and values, it creates nothing more. ${INVALID_INPUT}`,
    bucket: 'bulk',
    alsoCounts: ['check'],
    bodyLimit: PAGE_FORM_LIMIT,
    body: Type.Object({
      key: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
      name: Entry,
      slug: Entry,
      urls: Type.Optional(Type.String({ maxLength: MAX_URLS_LENGTH })),
      visibility: Entry,
      password: Secret,
    }),
  }),
  page: page('page', '/account/pages/{id}', {
    summary: 'Read the overview of a status page',
    description:
      'Link to the page and the latest check of each component. Without a session, it redirects ' +
      'to the login form (303).',
    params: IdParams,
  }),
  twoFactor: page('twoFactor', '/account/two-factor', {
    summary: 'Read the state of the second factor',
    description: 'Without a session, it redirects to the login form (303).',
    query: Type.Object({ notice: Type.Optional(OneOf(['disabled'])) }),
  }),
  setUpTwoFactor: secretForm('setUpTwoFactor', '/account/two-factor', {
    summary: 'Start the set-up of a second factor',
    description: `Like \`POST /auth/2fa/setup\`: shows the secret once. ${INVALID_INPUT}`,
    body: Type.Object({ password: Secret }),
  }),
  confirmTwoFactor: secretForm('confirmTwoFactor', '/account/two-factor/confirm', {
    summary: 'Enable the second factor',
    description: `Like \`POST /auth/2fa/verify\`: shows the backup codes once. ${INVALID_INPUT}`,
    body: Type.Object({ code: Secret }),
  }),
  renewBackupCodes: secretForm('renewBackupCodes', '/account/two-factor/backup-codes', {
    summary: 'Create new backup codes',
    description: `Like \`POST /auth/2fa/backup-codes\`: shows the codes once. ${INVALID_INPUT}`,
    body: Type.Object({ password: Secret, code: Secret }),
  }),
  disableTwoFactor: form('disableTwoFactor', '/account/two-factor/disable', {
    summary: 'Disable the second factor',
    description: `Like \`POST /auth/2fa/disable\`. ${INVALID_INPUT}`,
    body: Type.Object({ password: Secret, code: Secret }),
  }),
  alert: page('alert', '/account/alerts/{id}', {
    summary: 'Read the page of an on-call alert',
    description:
      'Messages in chats link to it. Shows the alert with the actions that its state and the ' +
      'rights of the user allow. Without a session, it redirects to the login form (303).',
    params: IdParams,
  }),
  actOnAlert: formWith('actOnAlert', '/account/alerts/{id}', {
    status: 303,
    summary: 'Acknowledge or resolve an on-call alert',
    description: 'Like the operation of the JSON API; 409 when it is no longer possible.',
    bucket: 'public',
    bodyLimit: FORM_LIMIT,
    params: IdParams,
    body: Type.Object({ action: OneOf(['acknowledge', 'resolve']) }),
  }),
  draft: page('draft', '/account/drafts/{id}', {
    summary: 'Read the page of an incident draft',
    description:
      'Messages in chats link to it. Shows the draft with the actions that its state and the ' +
      'rights of the user allow. Without a session, it redirects to the login form (303).',
    params: IdParams,
  }),
  actOnDraft: formWith('actOnDraft', '/account/drafts/{id}', {
    status: 303,
    summary: 'Publish or veto an incident draft',
    description: 'Like the operation of the JSON API; 409 when it is no longer possible.',
    bucket: 'incident create',
    bodyLimit: FORM_LIMIT,
    params: IdParams,
    body: Type.Object({ action: OneOf(['publish', 'veto']) }),
  }),
  account: page('account', '/account', {
    summary: 'Read the page of the signed-in user',
    description: 'Without a session, it redirects to the login form (303).',
    query: Type.Object({
      notice: Type.Optional(OneOf(accountNotices)),
    }),
  }),
}

/** Returns whether the operation is a page or form of the gateway, where a session is optional. */
export const isAccountPage = ({ id }: Pick<Operation, 'id'>): boolean =>
  id.startsWith('account-pages.')

const MAX_LISTED_PAGES = 200

/** Internal operation by which the gateway lists public status pages on its start page. */
export const publishedPageOperations = {
  list: operation({
    id: 'published-pages.list',
    service: 'core',
    method: 'GET',
    path: '/internal/published-pages',
    status: 200,
    summary: 'List the published status pages that everybody may read',
    permission: 'public',
    bucket: 'public read',
    reply: Type.Object({
      pages: Type.Array(Type.Object({ name: Type.String(), url: Type.String() }), {
        maxItems: MAX_LISTED_PAGES,
      }),
    }),
  }),
}

export const PUBLISHED_PAGES_LIMIT = MAX_LISTED_PAGES
