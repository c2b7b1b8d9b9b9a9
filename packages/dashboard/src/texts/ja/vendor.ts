/** Japanese texts of the vendors that components follow. */
import type { vendor as model } from '../en/vendor.ts'

export const vendor: typeof model = {
  title: 'ベンダーの報告',
  pending: 'ページを読み取っています。',
  noData: 'データなし',
  url: 'ベンダーのステータスページ',
  urlHint:
    'ステータスページ（Statuspage、incident.io、Instatus など）、その JSON、または RSS か Atom フィードのアドレス。空欄の場合はなし',
  component: 'ベンダーのコンポーネント',
  componentHint: '名前または ID。空欄の場合はページ全体',
  mode: '報告の扱い',
  modes: {
    mirror: 'ステータスに反映する',
    draft: 'インシデントの下書きを作成する',
    note: '表示のみ',
  },
  modeHints: {
    mirror: 'コンポーネントのステータスはベンダーに従います。',
    draft:
      'ベンダーで障害が発生するとインシデントの下書きが作成されます。ステータスページに報告は表示されません。',
    note: 'ステータスページではコンポーネントの横に報告が表示されます。ステータスは変わりません。',
  },
  errors: {
    blocked: 'アドレスが公開されていません',
    dns_error: 'ホスト名が見つかりません',
    connect_error: 'サーバーが接続を受け付けません',
    tls_error: '証明書が有効ではありません',
    protocol_error: '応答が有効ではありません',
    timeout: '時間内に応答がありません',
    too_large: 'ドキュメントが 2 MiB を超えています',
    too_complex: 'ドキュメントが複雑すぎます',
    too_many_redirects: 'リダイレクトが多すぎます',
    error_response: 'サーバーがエラーを返しました',
    unknown_format: 'ドキュメントの形式が不明です',
    component_not_found: 'ページに該当するコンポーネントがありません',
  },
}
