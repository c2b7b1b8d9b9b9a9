/** Japanese texts of the account pages. */
import type { AccountTexts } from './account-texts.ts'

export const ja: AccountTexts = {
  direction: 'ltr',
  labels: {
    organizationName: '組織名',
    name: 'お名前',
    email: 'メールアドレス',
    password: 'パスワード',
    newPassword: '新しいパスワード',
    code: 'コード',
  },
  hints: {
    organizationName: 'チームのメンバーと通知に表示されます。',
    newPassword: '8 文字以上。',
    code: '認証アプリの 6 桁の数字、またはバックアップコード。',
  },
  invalid: {
    organizationName: '1～100 文字の名前を入力してください。',
    name: '1～100 文字の名前を入力してください。',
    email: 'name@example.com のようなメールアドレスを入力してください。',
    password: 'パスワードを入力してください。',
    newPassword:
      '8 文字以上 72 バイト以下で、メールアドレスと異なり、よく使われていないパスワードを設定してください。',
    code: '認証アプリの 6 桁の数字、またはバックアップコードを入力してください。',
  },

  problems: {
    fields: '入力内容に誤りがあります。確認してもう一度お試しください。',
    wrongLogin: 'メールアドレスまたはパスワードが正しくありません。',
    wrongCode: 'コードが正しくないか、すでに使用されています。',
    knownAddress: 'このアドレスのアカウントはすでに存在します。サインインしてください。',
    tooMany: '試行回数が多すぎます。{}後にもう一度お試しください。',
    unavailable: '現在サービスが混み合っています。数秒後にもう一度お試しください。',
    crossSite:
      'フォームは別のウェブサイトから送信されました。このページを直接開いて、もう一度お試しください。',
    malformed: 'リクエストを読み取れませんでした。前のページに戻って、もう一度お試しください。',
    failed: '予期しないエラーが発生しました。しばらくしてからもう一度お試しください。',
  },
  problemTitle: '問題が発生しました',

  setup: {
    title: 'ステータスページのセットアップ',
    intro: '組織と最初のアカウントを作成します。このアカウントが所有者になります。',
    submit: 'アカウントを作成',
    needed: 'もう少しで完了です',
    neededIntro:
      'アカウントがまだありません。サービスの起動時に表示されたセットアップ用リンクを開いてください。リンクは npm start の端末、または gateway のログにあります。',
    done: 'セットアップ済み',
    doneIntro: '最初のアカウントが存在するため、セットアップ用リンクは無効になりました。',
  },
  signIn: {
    title: 'サインイン',
    submit: 'サインイン',
    forgot: 'パスワードをお忘れですか？',
    register: 'アカウントを作成',
    passwordChanged: 'パスワードを変更しました。新しいパスワードでサインインしてください。',
    code: '二要素認証',
    codeIntro: 'アカウントは第 2 の要素で保護されています。',
    startOver: '別のアカウントでサインイン',
    signOut: 'サインアウト',
  },
  register: {
    title: 'アカウントを作成',
    submit: 'アカウントを作成',
    closed: '新規登録は受け付けていません',
    closedIntro: 'アカウントの作成には招待が必要です。組織のメンバーに依頼してください。',
    haveAccount: '既存のアカウントでサインイン',
  },
  invitation: {
    title: '{} に参加',
    address: '招待は {} に送信されました。',
    accept: '招待を承諾',
    signIn: '{} としてサインインして承諾',
    otherAccount: '{} としてサインインしています。招待を承諾するにはサインアウトしてください。',
    notMine: 'まだアカウントがない',
    member: 'すでにこの組織のメンバーです。',
    notAllowed: 'このアドレスのドメインは、この組織で許可されていません。',
  },
  reset: {
    forgot: 'パスワードの再設定',
    forgotIntro: 'メールアドレスを入力すると、再設定用のリンクが届きます。',
    send: 'リンクを送信',
    sent: '受信トレイを確認してください',
    sentIntro:
      'このアドレスのアカウントが存在する場合、リンクを記載したメールを送信しました。リンクの有効期間は 1 時間です。',
    title: '新しいパスワードの設定',
    submit: 'パスワードを保存',
  },
  verify: {
    title: 'メールアドレスの確認',
    intro: '{} がご自身のメールアドレスであることを確認してください。',
    submit: 'アドレスを確認',
    done: 'メールアドレスを確認しました。',
  },
  invalidLink: {
    title: 'このリンクは無効です',
    intro: 'すでに使用されたか、期限が切れたか、リンクが不完全です。',
  },
  account: {
    title: 'サインインしています',
    pages: 'ステータスページ',
    noPages: '公開されているステータスページはまだありません。',
    documentation: 'API ドキュメント',
    needsTwoFactor:
      '組織では二要素認証が必須です。続行する前に設定してください（API ドキュメントの two-factor を参照）。',
    unverified: 'メールアドレスがまだ確認されていません。送信したメールのリンクを開いてください。',
    resend: 'メールを再送信',
  },
  home: { pages: 'ステータスページ', noPages: '公開されているステータスページはまだありません。' },
}
