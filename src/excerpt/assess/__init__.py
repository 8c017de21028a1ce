"""Assessment campaigns: assessors highlight relevant text, and every action is stored."""
