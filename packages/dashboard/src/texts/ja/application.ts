/** Japanese texts of the frame, and of states and actions of every view. */
import type { application as model } from '../en/application.ts'

export const application: typeof model = {
  product: 'Status',
  skipToContent: 'メインコンテンツへ移動',
  navigation: {
    label: 'メインナビゲーション',
    overview: '概要',
    incidents: 'インシデント',
    components: 'コンポーネント',
    start: 'セットアップ',
  },
  account: {
    menu: 'アカウントと設定',
    organization: '組織',
    appearance: '外観',
    system: 'システムに合わせる',
    light: 'ライト',
    dark: 'ダーク',
    language: '言語',
    settings: 'アカウント',
    documentation: 'API ドキュメント',
    signOut: 'ログアウト',
  },
  actions: {
    retry: '再試行',
    saving: '保存中 …',
    remove: '削除',
    skip: 'このステップをスキップ',
    next: '次のステップ',
    copy: 'アドレスをコピー',
    copied: 'アドレスをコピーしました',
    notCopied: 'アドレスをコピーできませんでした。選択してコピーしてください。',
    openPage: 'ページを開く',
  },
  pages: {
    label: 'ページ',
    previous: '前のページ',
    next: '次のページ',
    position: '{page} / {pages} ページ',
  },
  image: {
    address: '画像のアドレス',
    choose: 'ファイルを選択',
    uploading: 'アップロード中 …',
    remove: '削除',
  },
  states: {
    loading: '読み込み中 …',
    offline: 'オフラインです。データが古い可能性があります。変更はオンラインになると送信されます。',
    stale: 'データが古い可能性があります。{time} からサービスに接続できません。',
    notFound: 'ページが見つかりません',
    notFoundHint: 'アドレスが間違っているか、この項目は組織に属していません。',
    toOverview: '概要へ移動',
    noPermission: '権限がありません',
    noPermissionHint:
      'あなたのロールでは許可されていません。組織のオーナーにお問い合わせください。',
    unexpected: 'この画面を表示できませんでした',
    unexpectedHint:
      '何も変更されていません。再読み込みしてください。エラーが続く場合は報告してください。',
    unreachable: 'サービスに接続できません',
    unreachableHint: '接続を確認してください。サービスが応答すると画面が読み込まれます。',
    requestId: 'リクエスト {id}',
    sessionEnded: 'セッションが終了しました',
    sessionEndedHint:
      '新しいタブで再度ログインしてください。このページは入力内容を含めてそのまま残ります。',
    signIn: 'ログイン',
    signedIn: 'ログインしました。このタブを閉じることができます。',
    conflict: 'この項目はその間に変更されました。再読み込みしてから変更をやり直してください。',
    tooMany: 'リクエストが多すぎます。{seconds} 秒後に再試行してください。',
  },
}
