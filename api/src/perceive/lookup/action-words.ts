import { stemOf } from './words.js';

/**
 * Words for doing something that changes the world, in English and Chinese. A need that names such an action is not
 * guessed at: a capability that reads instead, or acts on something else, would do harm.
 */
const ACTIONS: ReadonlySet<string> = new Set(
  [
    'delete remove erase drop purge clear add insert create update change modify edit replace rename move transfer',
    'send forward post publish submit upload import export print write save store',
    'cancel stop abort terminate suspend pause resume start run execute launch restart reset deploy install',
    'pay charge refund return withdraw deposit buy purchase sell reserve book schedule sign',
    'approve reject accept decline grant revoke allow block lock unlock enable disable open close assign invite',
  ]
    .join(' ')
    .split(' ')
    .map(stemOf)
    .concat(
      [
        '删除 移除 清除 清空 添加 新增 增加 插入 创建 新建 生成 更新 修改 更改 变更 编辑 替换 移动 转移 调拨',
        '发送 转发 发布 提交 上传 导入 导出 打印 写入 保存 取消 撤销 停止 终止 暂停 恢复 启动 执行 运行 重启 重置 部署 安装',
        '支付 付款 扣款 退款 退货 退还 转账 充值 提现 购买 下单 出售 预留 预订 预定 预约 签署 签名',
        '批准 审批 拒绝 接受 授权 吊销 允许 屏蔽 锁定 解锁 启用 禁用 打开 关闭 分配 邀请',
      ]
        .join(' ')
        .split(' '),
    ),
);

/** Whether a word of a query, as it is indexed, names an action that changes something. */
export function isAction(term: string): boolean {
  return ACTIONS.has(term);
}
