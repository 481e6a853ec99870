-- AlterTable
ALTER TABLE "capabilities" ADD COLUMN "caller_independent" BOOLEAN NOT NULL DEFAULT false;

-- A claim is updated once soon after it was made: with room on its page the new state needs no new index entries.
ALTER TABLE "claims" SET (fillfactor = 40);

-- Claims expire in the order in which they are made: a summary by ranges of pages does, and costs nothing per claim.
DROP INDEX "claims_expires_at_idx";
CREATE INDEX "claims_expires_at_idx" ON "claims" USING BRIN ("expires_at");

-- Nothing has written tasks before.
DROP TABLE "tasks";

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "params_hash" TEXT NOT NULL,
    "state" "TaskState" NOT NULL DEFAULT 'ACCEPTED',
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "node_epoch" BIGINT NOT NULL,
    "instance" TEXT NOT NULL,
    "incarnation" TEXT NOT NULL,
    "dispatch_id" TEXT NOT NULL,
    "idempotent" BOOLEAN NOT NULL,
    "request" BYTEA,
    "progress" BYTEA,
    "outcome" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "task_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("task_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tasks_caller_request_id_key" ON "tasks"("caller", "request_id");

-- CreateIndex
CREATE INDEX "tasks_namespace_created_at_idx" ON "tasks"("namespace", "created_at");

-- CreateIndex
CREATE INDEX "tasks_created_at_id_idx" ON "tasks"("created_at", "id");

-- CreateIndex
CREATE INDEX "tasks_dispatch_id_idx" ON "tasks"("dispatch_id");

-- CreateIndex
CREATE INDEX "tasks_ended_at_idx" ON "tasks"("ended_at");

-- CreateIndex
CREATE INDEX "webhooks_next_at_idx" ON "webhooks"("next_at");

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Contents are stored with every default filled in; these fields are new, and what a content says of them itself stays.
UPDATE "policy_versions"
   SET "content" = '{"fallback": [], "cacheTtlMs": null, "rateLimit": null, "queue": null}'::jsonb || "content"
                || jsonb_build_object('breaker', '{"maxMeanLatencyMs": null, "slowStartMs": 10000}'::jsonb || ("content" -> 'breaker'));
