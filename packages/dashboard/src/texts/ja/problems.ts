/** Japanese texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  keywords: {
    required: 'この値は必須です',
    minLength: '{limit} 文字以上で入力してください',
    maxLength: '{limit} 文字以内で入力してください',
    minimum: '{limit} 以上の値を入力してください',
    maximum: '{limit} 以下の値を入力してください',
    maxItems: '{limit} 件以内にしてください',
    exists: 'この項目は存在しません',
    distinct: 'この値は重複しています',
    future: '未来の日時を指定してください',
    notFuture: '未来の日時は指定できません',
    after: '「{limit}」より後にしてください',
    notAfter: '「{limit}」以前にしてください',
    notGreater: '「{limit}」以下にしてください',
  },
  url: 'https://example.com のような完全な URL を入力してください',
  email: 'name@example.com のようなメールアドレスを入力してください',
  phone: '+14155550123 のように国番号付きの電話番号を入力してください',
  domain: 'example.com のようなドメイン名を入力してください',
  invalid: 'この値は無効です ({detail})',
  duplicate: 'この値はすでに使用されています ({detail})',
  refused: 'この操作は実行できません ({detail})',
  gone: 'この項目は存在しないか、組織に属していません。',
  unavailable: 'サービスは現在利用できません。しばらくしてからもう一度お試しください。',
  failed:
    '予期しないエラーが発生しました。もう一度お試しください。解決しない場合は報告してください。',
  bodyTooLarge: '内容が大きすぎます。',
}
