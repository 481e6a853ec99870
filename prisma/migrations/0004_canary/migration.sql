-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN "canary_enabled" BOOLEAN NOT NULL DEFAULT false,
                         ADD COLUMN "canary_share_percent" DOUBLE PRECISION NOT NULL DEFAULT 5,
                         ADD COLUMN "canary_promote_after_ms" INTEGER NOT NULL DEFAULT 120000,
                         ADD COLUMN "canary_promote_min_calls" INTEGER NOT NULL DEFAULT 0,
                         ADD COLUMN "canary_max_error_percent" DOUBLE PRECISION NOT NULL DEFAULT 10;

-- AlterTable
ALTER TABLE "agent_versions" ADD COLUMN "canary_since" TIMESTAMPTZ(3),
                             ADD COLUMN "canary_end" JSONB;
